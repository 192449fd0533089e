-- The tables of wrong_calls.txt.
CREATE TABLE rec AS FROM (VALUES
    ('a', 1, 'p', 9.0), ('a', 1, 'q', 8.0), ('a', 2, 'p', 2.0), ('b', 1, 'p', 3.0), ('b', 2, 'x', 2.0)
) AS t(system, userid, itemid, score);
CREATE TABLE truth AS FROM (VALUES (1, 'q', 1), (1, 'p', 0), (2, 'x', 3)) AS t(userid, itemid, rel);
CREATE TABLE plain_rec AS FROM (VALUES (1, 10, 9.0), (2, 50, 1.0)) t(userid, itemid, score);
CREATE TABLE plain_truth AS FROM (VALUES
    (1, 10), (1, 20), (1, 40), (2, 50), (2, 20), (2, NULL), (3, 10)
) AS t(userid, itemid);
CREATE TABLE intents AS FROM (VALUES
    (1, 'a', 'p', 1), (1, 'x', 'q', 0), (2, 'a', 'p', 1), (3, 'a', NULL, 0), (4, NULL, 'p', 1)
) AS t(userid, itemid, intent, rel);
CREATE TABLE history AS SELECT userid, itemid FROM rec;
CREATE TABLE items AS SELECT itemid, 'x' AS category FROM rec;
CREATE TABLE nothing AS SELECT 1 AS userid, NULL::VARCHAR AS itemid;
CREATE TABLE no_items AS FROM items WHERE false;
CREATE TABLE texts AS SELECT 1 AS itemid, 'b' AS category;
CREATE TABLE models AS SELECT * RENAME (system AS model) FROM rec;
CREATE VIEW cased AS SELECT *, 'a' AS "Model" FROM plain_rec;
CREATE VIEW seeded AS SELECT *, 7 AS seed FROM plain_rec;
CREATE VIEW of_systems AS SELECT *, 'a' AS system FROM seeded;
CREATE VIEW starred AS SELECT userid, itemid, 5 AS stars FROM truth;
CREATE TABLE by_user AS
SELECT system, userid, k, 'text' AS note, userid / 9 AS ndcg, k / 20 AS "Recall", 2.0 AS ideal_dcg,
    userid AS clicks
FROM (SELECT unnest(['a', 'b']) AS system), (SELECT unnest([5, 10]) AS k), range(4) u(userid);
CREATE TABLE one AS FROM by_user WHERE system = 'a';
CREATE TABLE nobody AS FROM by_user WHERE false;
CREATE TABLE no_number AS SELECT system, userid, k, note FROM by_user;
CREATE TABLE text_k AS SELECT * REPLACE ('top ' || k AS k) FROM by_user;
CREATE TABLE twice AS FROM by_user UNION ALL (FROM by_user WHERE system = 'b' AND userid = 1 AND k = 5);
CREATE TABLE many AS SELECT 'system ' || s AS system, 1 AS userid, 1 AS ndcg FROM range(10, 31) t(s);
CREATE TABLE unknown AS SELECT * REPLACE ('nan'::DOUBLE AS ndcg) FROM by_user;
CREATE TABLE compared AS FROM ranking.compare_by_user('by_user');
CREATE TABLE no_comparison AS FROM compared WHERE false;
CREATE TABLE at_0 AS SELECT * REPLACE (0 AS k) FROM compared;
CREATE TABLE runs AS FROM (VALUES
    ('a', 1, 'p', 9.5), ('a', 1, 'q', 7.5), ('b', 1, 'r', 0.9), ('c', 1, 's', 100), ('c', 2, 't', 12)
) AS t(system, userid, itemid, score);
CREATE VIEW no_runs AS FROM runs WHERE false;
CREATE TABLE events AS FROM (VALUES
    (1, 'a', DATE '2026-01-01'), (1, 'b', DATE '2026-01-05'), (2, 'a', DATE '2026-01-06'),
    (2, 'a', DATE '2026-01-07'), (2, 'c', DATE '2026-01-09'), (1, 'b', DATE '2026-01-09'),
    (NULL, 'c', DATE '2026-01-09'), (3, NULL, DATE '2026-01-01'), (3, 'a', NULL),
    (4, 'a', DATE 'infinity')
) AS t(userid, itemid, time);
CREATE TABLE days AS SELECT 1 AS userid, i AS itemid, i AS time FROM range(10) t(i);
CREATE TABLE taken AS SELECT 1 AS Part, *, 2 AS dropped FROM events;
