-- Choose the weights and k of a fusion, and test the choice on other users.
--
--   python examples/run_sql.py examples/tune_fusion.sql
--
-- The best of many settings looks better than it is on the users that it was chosen on. So users are split by a hash of their
-- ids: the setting and the best single system are chosen on one half, and compared on the other half.

CREATE TEMP TABLE rec AS
SELECT model AS system, customer_id AS userid, sku AS itemid, score
FROM 'examples/dbt_project/seeds/recommendations.csv';
CREATE TEMP TABLE truth AS
SELECT customer_id AS userid, sku AS itemid, greatest(stars - 2, 0) AS rel
FROM 'examples/dbt_project/seeds/ratings.csv' WHERE rated_on >= '2026-05-22';

-- The grid. With three systems: MAP {'bm25': a, 'vector': b, 'splade': 10 - a - b} for each a and b.
CREATE TEMP TABLE settings AS
SELECT concat('fused ', row_number() OVER (ORDER BY rrf_k, weight)) AS setting, rrf_k,
    MAP {'popularity': 10 - weight, 'similar': weight} AS weights
FROM (VALUES (1), (5), (10), (30), (60), (100)) AS ks(rrf_k), range(1, 10) AS shares(weight);

WITH points AS (
    -- The score of each rank, by setting. Integers, since a sum of DOUBLE depends on the order of its rows.
    SELECT setting, ranks.system, rank, (1e15 * weights[system] / (rrf_k + rank))::BIGINT AS points
    FROM (SELECT system, unnest(range(1, max(n) + 1)) AS rank
        FROM (SELECT system, count(*) AS n FROM rec GROUP BY system, userid) GROUP BY system) AS ranks, settings
), ranked AS (
    SELECT system, userid, itemid,
        row_number() OVER (PARTITION BY system, userid ORDER BY score DESC NULLS LAST, itemid) AS rank
    FROM rec
), every AS MATERIALIZED (
    -- The lists of ranking.fuse, for all settings at once.
    SELECT setting AS system, userid, itemid, sum(points)::DOUBLE AS score
    FROM ranked JOIN points USING (system, rank) GROUP BY ALL
    UNION ALL BY NAME FROM rec
), by_user AS MATERIALIZED (
    SELECT system, userid, k, n_rec, ndcg,
        md5(userid::VARCHAR) < '8' AS is_tuning, system IN (SELECT setting FROM settings) AS is_fused
    FROM ranking.by_user('every', 'truth', [10])
), chosen AS (
    SELECT is_fused, system, ranking.mean(ndcg) AS ndcg
    FROM by_user WHERE is_tuning
    GROUP BY is_fused, system
    QUALIFY row_number() OVER (PARTITION BY is_fused ORDER BY ranking.mean(ndcg) DESC, system) = 1
), held_out AS (
    SELECT by_user.* REPLACE (CASE WHEN is_fused THEN 'fused' ELSE 'single' END AS system)
    FROM by_user SEMI JOIN chosen USING (system) WHERE NOT is_tuning
)
SELECT rrf_k, weights, single.system AS single, round(fused.ndcg, 4) AS tuned_ndcg,
    round(mean_system, 4) AS ndcg, round(mean_baseline, 4) AS single_ndcg,
    users, round(low, 4) AS low, round(high, 4) AS high, verdict
FROM ranking.compare_by_user('held_out', baseline := 'single', measures := ['ndcg'])
JOIN chosen AS fused ON fused.is_fused
JOIN chosen AS single ON NOT single.is_fused
JOIN settings ON setting = fused.system;

-- Then: FROM ranking.fuse('rec', rrf_k := ..., weights := MAP {...}).
