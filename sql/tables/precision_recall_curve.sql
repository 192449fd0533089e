-- The mean precision and the mean recall over the users with truth, at each rank from 1 to max_k.
--
-- rec, truth, user_col, ..., descending, JUDGING: as for ranking_judged
-- max_k:      the last rank; not NULL, since the longest ranking may be very long
-- divide:     by what precision divides where a list is shorter than k: 'k', or 'list' for its length
-- Returns:    [system,] k, "precision", recall, in the order of k
-- Errors:     as for ranking_judged; max_k that is not from 0 to 2147483647, or NULL; a wrong divide
-- Example:    FROM precision_recall_curve('rec', 'truth', 3);
CREATE OR REPLACE TEMP MACRO precision_recall_curve(
    rec, truth, max_k, COLUMN_ARGUMENTS, divide := 'k', JUDGING_ARGUMENTS) AS TABLE
SELECT
    COLUMNS(lambda c: lower(c) IN ('system', 'k')),
    ranking_mean("precision") AS "precision",
    ranking_mean(recall) AS recall
FROM (
    SELECT
        * EXCLUDE (ranking, ranking_system),
        _ranking_precision(ranking, divide) AS "precision",
        _ranking_recall(ranking) AS recall
    FROM (
        SELECT * EXCLUDE (lowered), _ranking_at(lowered, k) AS ranking
        FROM (
            SELECT * EXCLUDE (scores, judged), _ranking_from_grade(judged, min_grade) AS lowered
            FROM _ranking_judged(rec, truth, COLUMN_NAMES, _ranking_longest(max_k), false, 'precision_recall_curve', JUDGING))
        CROSS JOIN (SELECT unnest(range(1, _ranking_longest(max_k) + 1)) AS k)
        WHERE has_truth))
WHERE (
    SELECT CASE WHEN _ranking_valid_k(max_k, 'precision_recall_curve')
        THEN _ranking_no_problem('precision_recall_curve', coalesce(
            _ranking_option('divide', divide, 'list|k', divide::VARCHAR IN ('list', 'k')),
            CASE WHEN _ranking_longest(max_k) IS NULL
                THEN 'max_k must be from 0 to 2147483647, got ' || coalesce(max_k::VARCHAR, 'NULL')
            END))
    END)
GROUP BY ALL
ORDER BY k ASC NULLS LAST, COLUMNS(lambda c: lower(c) IN ('system', 'k')) ASC NULLS LAST;
