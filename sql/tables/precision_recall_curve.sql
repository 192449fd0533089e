-- The mean precision and the mean recall over the users with truth, at each rank from 1 to max_k.
--
-- rec, truth: tables with userid, itemid, score and userid, itemid [, rel], as for ranking_judged
-- max_k:      the last rank
-- Returns:    [system,] k, "precision", recall, in the order of k
-- Example:    FROM precision_recall_curve('rec', 'truth', 20);
CREATE OR REPLACE TEMP MACRO precision_recall_curve(rec, truth, max_k) AS TABLE
SELECT
    COLUMNS(lambda c: lower(c) IN ('system', 'k')),
    avg(system.main.udf_precision(judged, k)) AS "precision",
    avg(system.main.udf_recall(judged, k)) AS recall
FROM ranking_judged(rec, truth, max_k)
CROSS JOIN (SELECT unnest(range(1, max_k + 1)) AS k)
GROUP BY ALL
ORDER BY k;
