-- Internal: the users of truth, with how many different items are relevant to each.
--
-- truth:     name of a table, as query_table takes it
-- names:     what _ranking_names gives
-- min_grade: as for ranking_check
-- Returns:   userid, n_relevant
-- Example:   FROM _ranking_truth_users('truth', _ranking_names('userid', 'itemid', 'score', NULL, NULL, true), NULL);
CREATE OR REPLACE TEMP MACRO _ranking_truth_users(truth, names, min_grade) AS TABLE
SELECT userid, count_if(itemid IS NOT NULL AND grade >= _ranking_lowest_grade(min_grade))::BIGINT AS n_relevant
FROM _ranking_truth_pairs(truth, names)
GROUP BY userid;
