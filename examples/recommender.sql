-- Two recommenders in SQL, compared on synthetic interactions.
--
--   python examples/run_sql.py examples/recommender.sql
--
-- A shop with 4,000 users and 2,000 items over 60 days. Every user has a taste: most of the user's events are in
-- one of 20 groups of items, and in each group some items are far more popular than others. The first 50 days
-- are the history. New items of a user in the last 10 days are the truth.
--
-- Nothing is random: each draw is a hash, so every run makes the same shop on any number of threads.

CREATE TEMP MACRO draw(what, a, b) AS md5_number_lower(concat_ws('/', 42, what, a, b)) / 18446744073709551616.0;

CREATE TEMP TABLE users AS
SELECT
    u AS userid,
    ['north', 'south', 'west'][1 + floor(3 * draw('region', u, 0))::INTEGER] AS region,
    floor(20 * draw('taste', u, 0))::INTEGER AS taste,
    10 + floor(150 * draw('activity', u, 0) ** 2)::INTEGER AS n_events,
    -- One user in 25 arrives after day 50: a cold user, without history.
    if(draw('late', u, 0) < 0.04, 50, 0) AS first_day
FROM range(4000) AS t(u);

-- Item i belongs to group i % 20, and the smaller i, the more popular it is.
CREATE TEMP TABLE events AS
SELECT
    userid,
    if(draw('focus', userid, n) < 0.7,
       taste + 20 * floor(100 * draw('item', userid, n) ** 2.5),
       floor(2000 * draw('item', userid, n) ** 2.5))::INTEGER AS itemid,
    first_day + floor((60 - first_day) * draw('day', userid, n))::INTEGER AS day
FROM users, range(n_events) AS t(n);

CREATE TEMP TABLE seen AS
SELECT DISTINCT userid, itemid FROM events WHERE day < 50;

CREATE TEMP TABLE truth AS
SELECT DISTINCT userid, itemid FROM events WHERE day >= 50
EXCEPT
SELECT userid, itemid FROM seen;

-- The shop
SELECT
    (SELECT count(*) FROM users) AS users,
    (SELECT count(DISTINCT itemid) FROM events) AS items,
    (SELECT count(*) FROM events) AS events,
    (SELECT count(*) FROM seen) AS seen_pairs,
    (SELECT count(*) FROM truth) AS truth_pairs;

-- Recommender 1: the most popular items, without already-seen items.
CREATE TEMP TABLE popular AS
SELECT itemid, count(*) AS n_users FROM seen GROUP BY itemid;

CREATE TEMP TABLE rec_popularity AS
SELECT userid, itemid, n_users::DOUBLE AS score
FROM users CROSS JOIN (FROM popular ORDER BY n_users DESC, itemid LIMIT 200)
ANTI JOIN seen USING (userid, itemid)
QUALIFY row_number() OVER (PARTITION BY userid ORDER BY score DESC, itemid) <= 20;

-- Recommender 2: items similar to the user's items. The similarity of two items is the cosine of their users;
-- each item contributes its 30 most similar items. DECIMAL, since a sum of DOUBLE depends on the order of its
-- rows, and so on the threads.
CREATE TEMP TABLE neighbors AS
WITH together AS (
    SELECT a.itemid, b.itemid AS other, count(*) AS n_both
    FROM seen AS a JOIN seen AS b ON a.userid = b.userid AND a.itemid <> b.itemid
    GROUP BY ALL
    HAVING n_both >= 3
)
SELECT t.itemid, t.other, (t.n_both / sqrt(p.n_users * q.n_users))::DECIMAL(9, 6) AS similarity
FROM together AS t
JOIN popular AS p ON p.itemid = t.itemid
JOIN popular AS q ON q.itemid = t.other
QUALIFY row_number() OVER (PARTITION BY t.itemid ORDER BY similarity DESC, t.other) <= 30;

CREATE TEMP TABLE rec_cooccurrence AS
SELECT seen.userid, neighbors.other AS itemid, sum(similarity)::DOUBLE AS score
FROM seen JOIN neighbors USING (itemid)
ANTI JOIN seen AS known ON known.userid = seen.userid AND known.itemid = neighbors.other
GROUP BY seen.userid, neighbors.other
QUALIFY row_number() OVER (PARTITION BY seen.userid ORDER BY score DESC, neighbors.other) <= 20;

CREATE TEMP TABLE rec AS
SELECT 'popularity' AS system, * FROM rec_popularity
UNION ALL
SELECT 'co-occurrence' AS system, * FROM rec_cooccurrence;

-- Evaluate both on the users with truth. A user without recommendations (a cold user of recommender 2) counts
-- as 0.
CREATE TEMP TABLE summary AS
FROM ranking.evaluate('rec', 'truth', [5, 10, 20]);

-- Mean over users
SELECT
    system, k, users, users_without_rec,
    round(recall, 4) AS recall,
    round("precision", 4) AS "precision",
    round(hit_rate, 4) AS hit_rate,
    round(average_precision, 4) AS average_precision,
    round(mrr, 4) AS mrr,
    round(ndcg, 4) AS ndcg
FROM summary
ORDER BY k, system;

-- One row per user
CREATE TEMP TABLE by_user AS
FROM ranking.by_user('rec', 'truth', [10]);

-- NDCG by the length of the user's history
SELECT
    CASE
        WHEN n_seen IS NULL THEN 'none'
        WHEN n_seen < 20 THEN 'fewer than 20 items'
        WHEN n_seen < 60 THEN '20 to 59 items'
        ELSE '60 items or more'
    END AS history,
    count(DISTINCT userid) AS users,
    round(avg(ndcg) FILTER (system = 'popularity'), 4) AS ndcg_popularity,
    round(avg(ndcg) FILTER (system = 'co-occurrence'), 4) AS ndcg_cooccurrence
FROM by_user
LEFT JOIN (SELECT userid, count(*) AS n_seen FROM seen GROUP BY userid) USING (userid)
GROUP BY history
ORDER BY min(n_seen) NULLS FIRST;

-- Measures by region of the user
SELECT
    region, system,
    count(*) AS users,
    round(avg(recall), 4) AS recall,
    round(avg(ndcg), 4) AS ndcg
FROM by_user JOIN users USING (userid)
GROUP BY ALL
ORDER BY ALL;

-- Distribution of NDCG@10 over users
SELECT
    system,
    count(*) AS users,
    round(avg((ndcg = 0)::INTEGER), 4) AS share_of_zeros,
    round(quantile_cont(ndcg, 0.5), 4) AS median,
    round(quantile_cont(ndcg, 0.9), 4) AS best_tenth,
    round(max(ndcg), 4) AS best
FROM by_user
GROUP BY system
ORDER BY system;

-- Beyond accuracy: the share of the catalog in the top 10 (catalog_coverage), its concentration (gini_coverage),
-- the differences between users' lists (personalization), and novelty: -log2 of the share of users with the
-- item. A join computes it, since a catalog can be too large for the MAP of novelty().
WITH top10 AS (
    FROM rec QUALIFY row_number() OVER (PARTITION BY system, userid ORDER BY score DESC, itemid) <= 10
), lists AS (
    SELECT system, userid, list(itemid ORDER BY score DESC, itemid) AS items FROM top10 GROUP BY ALL
), rarity AS (
    SELECT itemid, -log2(n_users / (SELECT count(DISTINCT userid) FROM seen)) AS bits FROM popular
), rare AS (
    SELECT system, avg(bits) AS novelty FROM top10 JOIN rarity USING (itemid) GROUP BY system
)
SELECT
    system,
    round(ranking.catalog_coverage(items, (SELECT count(*) FROM popular)), 4) AS catalog_coverage,
    round(ranking.gini_coverage(items, (SELECT count(*) FROM popular)), 4) AS gini_coverage,
    round(ranking.personalization(items), 4) AS personalization,
    round(any_value(novelty), 4) AS novelty
FROM lists JOIN rare USING (system)
GROUP BY system
ORDER BY system;
