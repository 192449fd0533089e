-- Rank effectiveness: does a model order a user's rated items as the user does?
--
--   python examples/run_sql.py examples/rank_effectiveness.sql
--
-- Top-k measures rank all items, and count unrated items as non-relevant. Here only the items that a user has
-- rated are ranked, so all of them are judged, and the order is compared with the ratings. Rank correlation
-- (spearman, kendall_tau) measures the whole order. Concordant pairs are easy to read: chance is 0.5. NDCG
-- weights the top of the order.
--
-- Nothing is random: each draw is a hash, so every run makes the same ratings.

CREATE TEMP MACRO draw(what, a, b) AS md5_number_lower(concat_ws('/', 7, what, a, b)) / 18446744073709551616.0;

-- 1,000 users rate 20 of 500 items from 1 to 5, by the quality of the item and a personal part.
CREATE TEMP TABLE ratings AS
SELECT
    userid,
    itemid,
    round(1 + 4 * (0.5 * draw('quality', itemid, 0) + 0.5 * draw('mind', userid, itemid)))::INTEGER AS rating
FROM range(1000) AS u(userid), range(500) AS i(itemid)
QUALIFY row_number() OVER (PARTITION BY userid ORDER BY draw('rated', userid, itemid), itemid) <= 20;

-- Predictions of three models: by the rating with noise, by the quality of the item, and by chance.
CREATE TEMP TABLE predictions AS
SELECT 'own mind' AS system, userid, itemid, rating + 3 * draw('noise', userid, itemid) AS score FROM ratings
UNION ALL
SELECT 'item quality' AS system, userid, itemid, draw('quality', itemid, 0) AS score FROM ratings
UNION ALL
SELECT 'coin' AS system, userid, itemid, draw('coin', userid, itemid) AS score FROM ratings;

-- For each user, the judged ranking of the rated items.
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

-- Users with more discordant than concordant pairs
SELECT
    system,
    count(*) FILTER (concordant_pairs(judged) < 0.5) AS users_wronged,
    count(*) AS users
FROM orders
GROUP BY system
ORDER BY users_wronged, system;
