-- Three systems of 24 users, in whose lists scores tie and an item stands twice; a user without a list (25),
-- one whose truth is a NULL (26), one without truth (23), one without a relevant item (24).
CREATE TABLE rec AS
SELECT s.name AS system, u AS userid, (u + i * s.step) % 13 AS itemid,
    (u * 7 + i * i * s.step) % 23 // 2 / 1 AS score
FROM range(1, 25) users(u), range(8) items(i), (VALUES ('a', 5), ('b', 3), ('c', 4)) AS s(name, step)
WHERE (u + i) % 7 <> s.step AND NOT (u = 5 AND s.name = 'b')
UNION ALL SELECT 'a', 1, 6, 1;
CREATE TABLE truth AS
SELECT u AS userid, (u * 3 + i) % 13 AS itemid, (u + i) % 4 * (u <> 24)::INTEGER AS rel, u + i AS time
FROM range(1, 26) users(u), range(5) items(i) WHERE u <> 23 AND i <= u % 5 + 1
UNION ALL VALUES (26, NULL, 1, 9), (2, 6, 1, 9), (2, 7, 3, 9);
CREATE TABLE history AS
SELECT u AS userid, (u * u + i) % 15 AS itemid, (u + i) % 12 AS time
FROM range(1, 22) users(u), range(4) items(i) WHERE (u * u + i) % 15 <> 7;
CREATE TABLE items AS SELECT i AS itemid, 'xyz'[1 + (i + c) % 3] AS category
FROM range(12) items(i), range(2) kinds(c) WHERE i % 3 > 0 OR c = 0;
CREATE TABLE intents AS SELECT userid, itemid, rel, 'pq'[1 + itemid % 2] AS intent
FROM truth WHERE itemid IS NOT NULL;
CREATE TABLE by_user AS SELECT system, userid, 'mn'[1 + userid % 2] AS segment,
    userid % 3 + (system = 'b')::INTEGER * 0.25 + (system = 'c')::INTEGER * (userid % 5) / 4 AS clicks,
    (system = 'b')::INTEGER * 0.25 AS recall
FROM (SELECT DISTINCT system, userid FROM rec);
CREATE TABLE compared AS
FROM ranking.compare('rec', 'truth', ks := [3], measures := ['ndcg', 'hit_rate', 'first_hit_rank']);
