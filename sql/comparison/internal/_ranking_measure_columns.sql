-- Internal: the columns of a table with a row per user that are no keys.
--
-- by_user: name of a table, as query_table takes it
-- Returns: LIST of STRUCT(name, type), in the order of the table
-- Example: SELECT _ranking_measure_columns('by_user');
CREATE OR REPLACE TEMP MACRO _ranking_measure_columns(by_user) AS (
    SELECT list_transform(columns[:-2], lambda one: {'name': one[1], 'type': one[2]})
    FROM (
        SELECT list_value(*COLUMNS(*)) AS columns
        FROM (
            SELECT [alias(COLUMNS(*)), typeof(COLUMNS(*))]
            FROM (
                SELECT COLUMNS(lambda c: c = 'ranking_absent' OR _ranking_is_compared_column(c, NULL))
                FROM (SELECT 1 AS userid)
                LEFT JOIN (
                    SELECT *, '' AS ranking_absent
                    FROM query_table(_ranking_table('by_user', by_user)) AS by_user_of
                    WHERE false
                ) ON true
            )
        )
    )
);
