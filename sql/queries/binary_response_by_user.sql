-- Six measures on binary judgments, one row per user of dummy_truth, over the whole list and at 2. For the means of
-- binary_response.sql: SELECT avg(COLUMNS(* EXCLUDE (userid))) FROM (this query).
--
-- Run it after ranking_udfs.register(con), on the tables of binary_response.sql. judge matches the two lists once for all
-- twelve columns. The join starts from truth, so a user without recommendations scores 0. (Hivemall's query drops such a
-- user.) A list keeps items with equal scores; a map from score to item does not.

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
