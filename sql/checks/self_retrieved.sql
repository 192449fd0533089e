-- rec: {units} that are an item in their own list
-- The search returns the query itself, for at least 5% of users and near the top. It is never a relevant item. If users and
-- items were unrelated, at most r users would be in their own first r items.
-- Place: 250; Severity: info; Of: users of truth
-- Write: if that is not an answer: remove the rows of rec whose {unit} is the item
SELECT
    own * (own >= 0.05 * judged AND own * (own - 7) >= 3 * own_ranks AND own > 0 AND own_relevant = 0)::BIGINT AS total,
    judged AS of,
    own_rank > 0 AS row
FROM evidence
