-- Tables with ties, NULLs, NaN, repeats and users of one table alone: calls.py.
CREATE TABLE rec AS
SELECT 'abc'[1 + i % 3] AS system, i % 37 AS userid, (i * 7919) % 211 AS itemid,
    CASE WHEN i % 9 > 0 THEN (i * i * 31) % 17 / 3 END AS score
FROM range(6000) AS t(i);
CREATE TABLE truth AS
SELECT i % 40 AS userid, (i * 31) % 211 AS itemid, i % 4 AS rel FROM range(600) AS t(i);
CREATE TABLE history AS
SELECT i % 39 AS userid, i * i % 199 AS itemid, i % 23 AS time FROM range(900) AS t(i);
CREATE TABLE items AS SELECT i % 200 AS itemid, 'c' || i * i % 7 AS category FROM range(500) AS t(i);
CREATE TABLE intents AS SELECT *, 'i' || (itemid * userid) % 5 AS intent FROM truth;
CREATE TABLE messy_rec AS
SELECT nullif(i % 97, 5) AS userid, nullif(i % 31, 3) AS itemid,
    CASE i % 7 WHEN 0 THEN NULL WHEN 1 THEN 'nan'::DOUBLE ELSE i % 11 END AS score
FROM range(8_000) t(i);
CREATE TABLE messy_truth AS
SELECT nullif(i % 103, 5) AS userid, nullif(i % 29, 3) AS itemid,
    CASE i % 5 WHEN 0 THEN NULL WHEN 1 THEN 'inf'::DOUBLE ELSE i % 11 - 5 END AS rel
FROM range(5_000) t(i);
CREATE TABLE by_user AS
SELECT 'abc'[1 + i % 3] AS system, i // 3 AS userid, sin(i) * 10 ** (i % 9) AS x, i * 7 % 5 / 4 AS recall
FROM range(3_000) t(i);
CREATE TABLE compared AS FROM ranking.compare_by_user('by_user');
CREATE TABLE judged_lists AS FROM ranking.judged('rec', 'truth', 3);
CREATE TABLE lists AS
SELECT i % 50 AS g, i % 41 AS u, list_transform(range(1 + i % 7), lambda j: (i * 31 + j * j) % 10) AS rec,
    (i * 37 % 101) / 101 AS p
FROM range(5_000) AS t(i);
