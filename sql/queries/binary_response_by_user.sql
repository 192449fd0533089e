-- The six measures on binary judgements, one row per user of dummy_truth, over the whole list and at 2. The means over
-- users, as binary_response.sql has them: SELECT avg(COLUMNS(* EXCLUDE (userid))) FROM (this query).
--
-- Run after ranking_udfs.register(con), on the tables of binary_response.sql. judge matches the two lists once for all
-- twelve numbers. The join starts from truth: a user without recommendations scores 0 and is not forgotten. (In the
-- documents' query such a user vanishes.) A list keeps items with equal scores, which a map from score to item cannot.

WITH truth AS (
    SELECT userid, list(DISTINCT itemid) AS truth
    FROM dummy_truth
    GROUP BY userid
),
rec AS (
    SELECT userid, list(itemid ORDER BY score DESC NULLS LAST, itemid ASC NULLS LAST) AS rec
    FROM dummy_rec
    GROUP BY userid
),
judged AS (
    SELECT userid, judge(rec, truth) AS judged
    FROM truth
    LEFT JOIN rec USING (userid)
)
SELECT
    userid,
    recall(judged) AS recall,
    recall(judged, 2) AS recall_at_2,
    "precision"(judged) AS "precision",
    "precision"(judged, 2) AS precision_at_2,
    average_precision(judged) AS average_precision,
    average_precision(judged, 2) AS average_precision_at_2,
    auc(judged) AS auc,
    auc(judged, 2) AS auc_at_2,
    mrr(judged) AS mrr,
    mrr(judged, 2) AS mrr_at_2,
    ndcg(judged) AS ndcg,
    ndcg(judged, 2) AS ndcg_at_2
FROM judged
ORDER BY userid;
