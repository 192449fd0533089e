-- Internal: whether the table has a column system (several models in one table), of whatever type. Known when
-- the query is planned, so that the planner drops what depends on it. Used by _ranking_rec_lists and
-- _ranking_systems.
--
-- rec:     name of a table, as query_table takes it
-- Returns: BOOLEAN
-- Example: SELECT _ranking_has_system('rec');
CREATE OR REPLACE TEMP MACRO _ranking_has_system(rec) AS
_ranking_type_of_system(rec, NULL::BOOLEAN) = _ranking_type_of_system(rec, NULL::DATE);
