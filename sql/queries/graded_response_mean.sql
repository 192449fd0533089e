-- NDCG on graded judgements, the mean over users, as the pack writes it: ndcg gives one number per user (per row), and
-- avg makes the mean.
--
-- Run after ranking_udfs.register(con).
--
-- Reads    dummy_recrel(userid, itemid, score, relscore)   what was recommended, with the expected relevance
-- Returns  one row: NDCG of the top 2 and of the top 3, the same as graded_response.sql
--
-- Table:   CREATE TABLE dummy_recrel AS FROM 'examples/data/dummy_recrel.csv';
--
-- The judgements are a map from item to grade, so items may share a grade. (In the documents' form the grades are the
-- keys of a map, where equal grades become one.)

WITH lists AS (
    SELECT
        userid,
        to_ordered_list(itemid, score, '-reverse') AS rec,
        map_from_entries(list({'item': itemid, 'grade': relscore})) AS truth
    FROM dummy_recrel
    GROUP BY userid
)
SELECT avg(ndcg(rec, truth, 2)) AS ndcg_at_2, avg(ndcg(rec, truth, 3)) AS ndcg_at_3
FROM lists;
