-- The eleven-point curve: the mean interpolated precision over the users with truth at recall 0, 0.1, ..., 1.
--
-- rec, truth: tables with userid, itemid, score and userid, itemid [, rel], as for ranking_judged
-- max_k:      how far to look down the ranking; by default all of it
-- Returns:    [system,] recall, "precision", in the order of recall
-- Example:    FROM interpolated_precision_curve('rec', 'truth');
CREATE OR REPLACE TEMP MACRO interpolated_precision_curve(rec, truth, max_k := NULL) AS TABLE
SELECT
    COLUMNS(lambda c: lower(c) IN ('system', 'recall')),
    avg(system.main.udf_interpolated_precision(judged, NULL, 'recall=' || recall)) AS "precision"
FROM ranking_judged(rec, truth, max_k)
CROSS JOIN (SELECT unnest(range(0, 11)) / 10 AS recall)
GROUP BY ALL
ORDER BY recall;
