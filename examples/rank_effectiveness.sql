-- Rank effectiveness: does a model put the items that a user has rated into the user's own order?
--
--   python examples/run_sql.py examples/rank_effectiveness.sql
--
-- Top-k measures ask whether good items come first among all items, and punish a model for items that nobody
-- has rated. Here only the items a user has rated are ranked, so nothing is unknown: the model's order of them
-- is compared with the ratings. Rank correlation looks at the whole order (spearman, kendall_tau), concordant
-- pairs read most easily (a coin gets 0.5), and NDCG cares for the top of the order.
--
-- Each draw is a hash of its number, so every run makes the same ratings.

CREATE TEMP MACRO draw(what, a, b) AS md5_number_lower(concat_ws('/', 7, what, a, b)) / 18446744073709551616.0;

-- 1,000 users rate 20 of 500 items from 1 to 5: how good the item is, and the user's own mind.
CREATE TEMP TABLE ratings AS
SELECT
    userid,
    itemid,
    round(1 + 4 * (0.5 * draw('quality', itemid, 0) + 0.5 * draw('mind', userid, itemid)))::INTEGER AS rating
FROM range(1000) AS u(userid), range(500) AS i(itemid)
QUALIFY row_number() OVER (PARTITION BY userid ORDER BY draw('rated', userid, itemid), itemid) <= 20;

-- Three models' predictions of those ratings, from knowing almost everything to knowing nothing.
CREATE TEMP TABLE predictions AS
SELECT 'own mind' AS system, userid, itemid, rating + 3 * draw('noise', userid, itemid) AS score FROM ratings
UNION ALL
SELECT 'item quality' AS system, userid, itemid, draw('quality', itemid, 0) AS score FROM ratings
UNION ALL
SELECT 'coin' AS system, userid, itemid, draw('coin', userid, itemid) AS score FROM ratings;

-- Per user the model's order of the rated items, and the grade of each of them.
CREATE TEMP TABLE orders AS
SELECT
    system,
    userid,
    judge(list(itemid ORDER BY score DESC, itemid), map_from_entries(list((itemid, rating)))) AS judged
FROM predictions JOIN ratings USING (userid, itemid)
GROUP BY system, userid;

CREATE TEMP TABLE effectiveness AS
SELECT
    system,
    count(*) AS users,
    avg(spearman(judged)) AS spearman,
    avg(kendall_tau(judged)) AS kendall_tau,
    avg(concordant_pairs(judged)) AS concordant_pairs,
    avg(ndcg(judged)) AS ndcg,
    avg(ndcg(judged, 5)) AS ndcg_at_5
FROM orders
GROUP BY system;

-- Mean over users
SELECT
    system, users,
    round(spearman, 4) AS spearman,
    round(kendall_tau, 4) AS kendall_tau,
    round(concordant_pairs, 4) AS concordant_pairs,
    round(ndcg, 4) AS ndcg,
    round(ndcg_at_5, 4) AS ndcg_at_5
FROM effectiveness
ORDER BY spearman DESC;

-- Users whose order the model gets wrong more often than right
SELECT
    system,
    count(*) FILTER (concordant_pairs(judged) < 0.5) AS users_wronged,
    count(*) AS users
FROM orders
GROUP BY system
ORDER BY users_wronged, system;
