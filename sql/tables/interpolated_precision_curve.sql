-- The eleven-point curve: the mean interpolated precision over the users with truth at recall 0, 0.1, ..., 1.
--
-- rec, truth, user_col, ..., descending, JUDGING: as for ranking_judged
-- max_k:      how far to look down the ranking; by default all of it
-- Returns:    [system,] recall, "precision", in the order of recall
-- Errors:     as for ranking_judged
-- Example:    FROM interpolated_precision_curve('rec', 'truth') WHERE recall IN (0, 0.5, 1);
CREATE OR REPLACE TEMP MACRO interpolated_precision_curve(
    rec, truth, max_k := NULL, COLUMN_ARGUMENTS, JUDGING_ARGUMENTS) AS TABLE
SELECT COLUMNS(lambda c: lower(c) IN ('system', 'recall')), ranking_mean(interpolated) AS "precision"
FROM (
    SELECT * EXCLUDE (ranking, ranking_system), _ranking_interpolated_precision(ranking, recall) AS interpolated
    FROM (
        SELECT * EXCLUDE (lowered), _ranking_at(lowered, _ranking_longest(max_k)) AS ranking
        FROM (
            SELECT * EXCLUDE (scores, judged), _ranking_from_grade(judged, min_grade) AS lowered
            FROM _ranking_judged(
                rec, truth, COLUMN_NAMES, _ranking_longest(max_k), false, 'interpolated_precision_curve', JUDGING))
        CROSS JOIN (SELECT unnest(range(0, 11)) / 10 AS recall)
        WHERE has_truth))
WHERE (SELECT _ranking_valid_k(max_k, 'interpolated_precision_curve'))
GROUP BY ALL
ORDER BY recall ASC NULLS LAST, COLUMNS(lambda c: lower(c) IN ('system', 'recall')) ASC NULLS LAST;
