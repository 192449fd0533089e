-- Internal: whether the users of one table alone are UUIDs: then those of both are compared as texts, which DuckDB
-- would try to take for UUIDs. Known when the query is planned.
--
-- rec, truth: names of tables, as query_table takes them
-- names:      what _ranking_names gives
-- Returns:    BOOLEAN
-- Example:    SELECT _ranking_mixed_users(
--     'rec', 'truth', _ranking_names('userid', 'itemid', 'score', NULL, NULL, true));
CREATE OR REPLACE TEMP MACRO _ranking_mixed_users(rec, truth, names) AS
(_ranking_type(rec, names['user'], 'userid') = 'UUID')
<> (_ranking_type(truth, names['user'], 'userid') = 'UUID');
