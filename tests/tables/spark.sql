-- Three systems, of which one lists for a few users alone; NULLs, ties, other types of ids, grades below 0;
-- and the documents' example, with columns of other names and cases.
CREATE TABLE rec AS SELECT CASE WHEN i < 980 THEN ['A', 'B'][1 + (hash(i, 0) % 2)::INT] END AS system,
    nullif(hash(i, 1) % 91, 90)::VARCHAR AS userid, nullif(hash(i, 2) % 31, 30)::BIGINT AS itemid,
    [1.0::DOUBLE, 2, 0.5, '-0', 0, 'NaN', NULL, 3.25][1 + (hash(i, 3) % 8)::INT] AS score
FROM range(1000) t(i);
CREATE TABLE truth AS SELECT nullif(5 + hash(i, 4) % 96, 100)::VARCHAR AS userid,
    nullif(hash(i, 5) % 31, 30)::SMALLINT AS itemid,
    [0.0::DOUBLE, 1, 2.5, -1, 21][1 + (hash(i, 6) % 5)::INT] AS rel,
    DATE '2026-01-20' + (hash(i, 7) % 9)::INT AS time
FROM range(1000) t(i);
CREATE TABLE history AS SELECT nullif(hash(i, 8) % 81, 80)::VARCHAR AS userid,
    nullif(hash(i, 9) % 36, 35)::INT AS itemid, DATE '2026-01-01' + (hash(i, 10) % 28)::INT AS time
FROM range(800) t(i);
CREATE TABLE items AS SELECT nullif(hash(i, 11) % 41, 40)::INT AS itemid,
    ['a', 'b', 'c', 'd', NULL][1 + (hash(i, 12) % 5)::INT] AS kind
FROM range(60) t(i);
CREATE TABLE runs AS SELECT system AS model, * EXCLUDE (system) FROM rec WHERE system IS NOT NULL;
CREATE TABLE listed AS SELECT 7 AS "a.b", unnest([1, 3, 2, 6]) AS SKU, unnest(range(4)) AS place;
CREATE TABLE liked AS SELECT 7 AS "A.B", unnest([1, 2, 4]) AS sku, true AS bought;
