-- NDCG on graded judgements, one row per user.
--
-- Run after ranking_udfs.register(con).
--
-- Reads    dummy_recrel(userid, itemid, score, relscore)   what was recommended, with the expected relevance
-- Returns  one row per user: userid, NDCG of the top 2 and of the top 3
--
-- Table:   CREATE TABLE dummy_recrel AS FROM 'examples/data/dummy_recrel.csv';

WITH lists AS (
    SELECT
        userid,
        to_ordered_list(itemid, score, '-reverse') AS rec,
        map_from_entries(list({'item': itemid, 'grade': relscore})) AS truth
    FROM dummy_recrel
    GROUP BY userid
)
SELECT userid, ndcg(rec, truth, 2) AS ndcg_at_2, ndcg(rec, truth, 3) AS ndcg_at_3
FROM lists
ORDER BY userid;
