-- Whether the table has a column system (several models in one table). Known when the query is planned, so
-- that the planner drops what depends on it. Used by ranking_judged.
--
-- rec:     name of a table, as query_table takes it
-- Returns: BOOLEAN
-- Example: SELECT ranking_has_system('rec');
CREATE OR REPLACE TEMP MACRO ranking_has_system(rec) AS
typeof((
    SELECT system FROM (FROM query_table(rec) UNION ALL BY NAME SELECT NULL::ENUM ('none') AS system WHERE false) WHERE false
)) <> 'ENUM(''none'')';
