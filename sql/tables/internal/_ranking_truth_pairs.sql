-- Internal: the pairs of user and item in truth, with the highest grade of each.
--
-- truth:   name of a table, as query_table takes it
-- names:   what _ranking_names gives
-- Returns: userid, itemid (NULL where truth has it), grade (1 without a column of grades)
-- Example: FROM _ranking_truth_pairs('truth', _ranking_names('userid', 'itemid', 'score', NULL, NULL, true));
CREATE OR REPLACE TEMP MACRO _ranking_truth_pairs(truth, names) AS TABLE
SELECT
    userid,
    itemid,
    CASE WHEN _ranking_has(truth, names['grade'], 'rel') THEN max(TRY_CAST(rel AS DOUBLE)) ELSE 1 END AS grade
FROM _ranking_truths(truth, names)
WHERE userid IS NOT NULL
GROUP BY userid, itemid;
