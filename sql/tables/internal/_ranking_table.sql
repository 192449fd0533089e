-- Internal: the name of a table, or an error if it is a query, which query_table does not take. Known when the query is
-- planned.
--
-- argument: the argument that names the table
-- name:     what the user gave
-- Returns:  VARCHAR
-- Example:  SELECT _ranking_table('rec', 'shop.main.rec');  -- shop.main.rec
CREATE OR REPLACE TEMP MACRO _ranking_table(argument, name) AS
CASE
    -- A file may be called "from bob.csv" or "(1) rec.csv".
    WHEN regexp_matches(name::VARCHAR, '(?i)^\s*(\(\s*)?(select|from|with|values)\b\W')
        AND NOT regexp_matches(name::VARCHAR, '(?i)\.(csv|tsv|txt|json|ndjson|jsonl|parquet|gz|zst|db|duckdb)\s*$')
        THEN error(concat(
            argument, ' must be the name of a table, view, CTE or file, got ', _ranking_cut(name::VARCHAR),
            ': write WITH mine AS (...) before the query, and ''mine'' here'))
    ELSE name
END;
