-- Internal: the type of a column; NULL if the table has none of this name. Known when the query is planned.
--
-- source:    name of a table, as query_table takes it
-- named:     what the user calls the column; NULL for what it is called by default
-- otherwise: that
-- Returns:   VARCHAR, as typeof gives it
-- Example:   SELECT _ranking_type('rec', NULL, 'itemid');  -- INTEGER
CREATE OR REPLACE TEMP MACRO _ranking_type(source, named, otherwise) AS
regexp_extract_all(
    typeof((
        SELECT row(*COLUMNS(_ranking_column(named, otherwise)))
        FROM (SELECT NULL AS ranking_absent, * FROM query_table(source) AS sources)
        WHERE false
    )),
    '(?s)^\w+\("NULL", (.*)\)$',
    1
)[1];
