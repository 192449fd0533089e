-- Whether the table has a column rel (grades). Known when the query is planned, so that the planner drops what
-- depends on it. Used by ranking_judged.
--
-- truth:   name of a table, as query_table takes it
-- Returns: BOOLEAN
-- Example: SELECT ranking_has_rel('truth');
CREATE OR REPLACE TEMP MACRO ranking_has_rel(truth) AS
typeof((
    SELECT rel FROM (FROM query_table(truth) UNION ALL BY NAME SELECT NULL::ENUM ('none') AS rel WHERE false) WHERE false
)) <> 'ENUM(''none'')';
