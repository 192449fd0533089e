-- Internal: say whether a table has a column, of whatever type. Known when the query is planned, so that the planner
-- drops what depends on it. Used wherever a column may be missing.
--
-- source:    name of a table, as query_table takes it
-- named:     what the user calls the column; NULL for what it is called by default
-- otherwise: that
-- Returns:   BOOLEAN
-- Example:   SELECT _ranking_has('rec', NULL, 'system');
CREATE OR REPLACE TEMP MACRO _ranking_has(source, named, otherwise) AS
typeof((
    SELECT row(*COLUMNS(_ranking_column(named, otherwise)))
    FROM (SELECT NULL AS ranking_absent, * FROM query_table(source) AS sources)
    WHERE false
)) NOT IN ('TUPLE("NULL")', 'STRUCT("NULL")');
