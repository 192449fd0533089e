-- Internal: the columns of a table with a row per user that it can be compared by. Used by ranking_compare_by_user.
--
-- by_user:  name of a table, as query_table takes it
-- measures: LIST of texts such as 'ndcg@5,10'; NULL for all columns that are no keys
-- Returns:  LIST of STRUCT(name, type), in the order of the table, the last one without a meaning
-- Example:  SELECT _ranking_measure_columns('by_user', NULL);
CREATE OR REPLACE TEMP MACRO _ranking_measure_columns(by_user, measures) AS (
    SELECT list_transform(list_zip(names, types), lambda one: {'name': one[1], 'type': one[2]})
    FROM (
        SELECT struct_keys(columns) AS names, list_value(*COLUMNS(*)) AS types
        FROM (
            SELECT typeof(COLUMNS(lambda c: c = 'ranking_absent' OR _ranking_is_measure(c, measures)))
            FROM (
                SELECT * EXCLUDE (ranking_one)
                FROM (SELECT 1 AS ranking_one)
                LEFT JOIN (SELECT *, '' AS ranking_absent FROM query_table(by_user) AS ours WHERE false) ON true
            )
        ) AS columns
    )
);
