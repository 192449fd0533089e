-- Internal: an id for a column that has ids of two tables: as text where it is a UUID, or of another type than the other,
-- since DuckDB makes no column of both. Known when the query is planned.
--
-- id, other: ids, one of each table
-- Returns:   id, or VARCHAR
-- Example:   SELECT _ranking_id_as_column(uuid(), 'a');
CREATE OR REPLACE TEMP MACRO _ranking_id_as_column(id, other) AS
struct_extract(
    {'text': id::VARCHAR, 'same': id},
    -- In LISTs, since DuckDB does not look for the type "NULL" itself before it runs.
    CASE WHEN typeof([id]) = 'UUID[]' OR _ranking_compare_as_texts([id], [other]) THEN 'text' ELSE 'same' END
);
