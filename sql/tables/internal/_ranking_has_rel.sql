-- Internal: whether the table has a column rel (grades), of whatever type. Known when the query is planned, so that the
-- planner drops what depends on it. Used by _ranking_truth_lists and ranking_check.
--
-- truth:   name of a table, as query_table takes it
-- Returns: BOOLEAN
-- Example: SELECT _ranking_has_rel('truth');
CREATE OR REPLACE TEMP MACRO _ranking_has_rel(truth) AS
_ranking_type_of_rel(truth, NULL::BOOLEAN) = _ranking_type_of_rel(truth, NULL::DATE);
