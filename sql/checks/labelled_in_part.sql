-- truth: {units} whose top k = {k} lacks human labels
-- An item without a human label counts as non-relevant, so the correction is biased. Only a truth with judged misses can show
-- it.
-- Place: 420; Severity: warning; Of: users of truth; Needs: predicted_truth
-- Write: label the whole top k of these {units}, or write {unjudged=skip}
SELECT
    system, k,
    -- An empty list has no items to judge.
    count(*) FILTER (judged_share < 1 AND n_rec > 0) AS count, count(*) AS of,
    format('judged_share {:.3g}', avg(judged_share) FILTER (n_rec > 0)) AS example
FROM _ranking_by_people
WHERE judged_share IS NOT NULL AND EXISTS (FROM truth_pairs WHERE grade {{ of.is_irrelevant }})
GROUP BY system, k
