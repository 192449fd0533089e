-- Internal: the problems that there are.
--
-- found:   LIST of what _ranking_problem gives
-- Returns: such a LIST, without NULL
-- Example: SELECT _ranking_problems([_ranking_problem(14, 'rec: score is NaN', 'a', 0, NULL)]);  -- []
CREATE OR REPLACE TEMP MACRO _ranking_problems(found) AS
list_filter(found, lambda one: one IS NOT NULL);
