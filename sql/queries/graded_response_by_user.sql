-- NDCG of the top 2 and of the top 3 on graded judgments, one row per user. For the means of graded_response.sql:
-- SELECT avg(COLUMNS(* EXCLUDE (userid))) FROM (this query).
--
-- Run it after ranking_udfs.register(con), on the table of graded_response.sql. The judgments are a map from item to grade,
-- so items may share a grade. (In Hivemall's query, the grades are the keys of a map, so equal grades are lost.)

WITH lists AS (
    SELECT
        userid,
        list(itemid ORDER BY score DESC NULLS LAST, itemid ASC NULLS LAST) AS rec,
        map_from_entries(list({'item': itemid, 'grade': relscore})) AS truth
    FROM dummy_recrel
    GROUP BY userid
)
SELECT userid, ndcg(rec, truth, 2) AS ndcg_at_2, ndcg(rec, truth, 3) AS ndcg_at_3
FROM lists
ORDER BY userid;
