-- The six measures on binary judgements, one row per user.
--
-- Run after ranking_udfs.register(con).
--
-- Reads    dummy_rec(userid, itemid, score)   what was recommended
--          dummy_truth(userid, itemid)        what turned out to be right
-- Returns  one row per user of dummy_truth: userid, and each measure over the whole list and at 2
--
-- Tables:  CREATE TABLE dummy_rec AS FROM 'examples/data/dummy_rec.csv';
--          CREATE TABLE dummy_truth AS FROM 'examples/data/dummy_truth.csv';

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
