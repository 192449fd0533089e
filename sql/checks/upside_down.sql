-- rec: {units} whose relevant items rank below other items
-- Scores may be sorted the wrong way. The check averages the AUC of each list, over users whose list has a relevant item and
-- another item with a different score. Error: two tests agree. By the first, the mean is below 0.5 by 3.3 standard errors, over
-- at least 30 users. If scores are equally spaced or a `rank` column contradicts them, 1.65 standard errors are enough. By the
-- second, it is below by 3.3 standard errors over at least 10 relevant items, each weighted by the root of its users, so that
-- one list for all users does not count as many. Warning: scores are numbered like ranks, and more users have relevant items
-- below the others than above. Lists of a good model that contain already-seen items look the same; pass `history` to
-- distinguish them.
-- Place: 80; Severity: tested; Of: users with both kinds of items
-- Write: if lower scores are better (ranks, distances): write {descending=false}, or negate the scores of these systems; if
--     lists contain already-seen items: remove them, or pass {history} to find out
SELECT
    below * (is_surely_below OR (looks_ranked AND below > above))::BIGINT AS total,
    n_whole AS of,
    user AS user,
    CASE WHEN is_surely_below THEN 'error' ELSE 'warning' END AS severity,
    deviation < 0 AS row
FROM evidence
HAVING NOT is_explained
