-- The six measures on binary judgements, the mean over users, as the pack writes it: a measure gives one number per user
-- (per row), and avg makes the mean. judge matches the two lists once for all twelve numbers.
--
-- Run after ranking_udfs.register(con).
--
-- Reads    dummy_rec(userid, itemid, score)   what was recommended
--          dummy_truth(userid, itemid)        what turned out to be right
-- Returns  one row, the same as binary_response.sql
--
-- Tables:  CREATE TABLE dummy_rec AS FROM 'examples/data/dummy_rec.csv';
--          CREATE TABLE dummy_truth AS FROM 'examples/data/dummy_truth.csv';
--
-- The join starts from truth: a user without recommendations scores 0 and is not forgotten. (In the documents' query
-- such a user vanishes.) to_ordered_list keeps items with equal scores, which a map from score to item cannot.

WITH truth AS (
    SELECT userid, collect_set(itemid) AS truth
    FROM dummy_truth
    GROUP BY userid
),
rec AS (
    SELECT userid, to_ordered_list(itemid, score, '-reverse') AS rec
    FROM dummy_rec
    GROUP BY userid
),
judged AS (
    SELECT userid, judge(rec, truth) AS judged
    FROM truth
    LEFT JOIN rec USING (userid)
)
SELECT
    avg(recall(judged)) AS recall,
    avg(recall(judged, 2)) AS recall_at_2,
    avg("precision"(judged)) AS "precision",
    avg("precision"(judged, 2)) AS precision_at_2,
    avg(average_precision(judged)) AS average_precision,
    avg(average_precision(judged, 2)) AS average_precision_at_2,
    avg(auc(judged)) AS auc,
    avg(auc(judged, 2)) AS auc_at_2,
    avg(mrr(judged)) AS mrr,
    avg(mrr(judged, 2)) AS mrr_at_2,
    avg(ndcg(judged)) AS ndcg,
    avg(ndcg(judged, 2)) AS ndcg_at_2
FROM judged;
