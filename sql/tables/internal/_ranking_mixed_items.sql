-- Internal: whether the items of one table alone are UUIDs: then those of both are compared as texts, which DuckDB would
-- try to take for UUIDs. Known when the query is planned. Used by _ranking_judged and the lists.
--
-- rec, truth: names of tables, as query_table takes them
-- Returns:    BOOLEAN
-- Example:    SELECT _ranking_mixed_items('rec', 'truth');
CREATE OR REPLACE TEMP MACRO _ranking_mixed_items(rec, truth) AS
(typeof((SELECT itemid FROM query_table(rec) AS recs WHERE false)) = 'UUID')
<> (typeof((SELECT itemid FROM query_table(truth) AS truths WHERE false)) = 'UUID');
