-- Internal: the problems of users, each for itself: where the tables are parted by user, the counts of the parts add up
-- to those of the whole, as long as each part of rec knows all systems.
--
-- rec, truth:          names of tables, as query_table takes them
-- names:               what _ranking_names gives
-- ks, max_k:           as for _ranking_list_facts
-- min_grade, unjudged: as for ranking_check
-- Returns:             code (of ranking_problem_codes, or of what problems are counted of), system (as text; NULL for none
--                      or all), k (NULL for none), count, of_row: the first row that has it, (user, item) as texts, or else
--                      example; size: the length of the list, where that matters; of and severity, NULL where
--                      ranking_problem_codes says them
-- Example:             FROM _ranking_user_problems(
--     'rec', 'truth', _ranking_names('userid', 'itemid', 'score', NULL, NULL, true), [5, 10], 10, NULL, 'miss');
CREATE OR REPLACE TEMP MACRO _ranking_user_problems(rec, truth, names, ks, max_k, min_grade, unjudged) AS TABLE
FROM _ranking_list_problems(rec, truth, names, ks, max_k, min_grade)
UNION ALL
FROM _ranking_truth_problems(truth, names, min_grade, unjudged);
