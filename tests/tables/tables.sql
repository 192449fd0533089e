-- Ties, NULLs, NaN, a repeated item, and a user of each table alone.
CREATE TABLE rec AS FROM (VALUES
    (1, 10, 9.0), (1, 30, 8.0), (1, 20, 8.0), (1, 60, 2.0),
    (2, 50, 1.0), (2, 50, 0.5), (2, 40, NULL), (2, 20, 'nan'::DOUBLE), (2, NULL, 3.0), (9, 10, 1.0)
) AS t(userid, itemid, score);
CREATE TABLE truth AS
FROM (VALUES (1, 10), (1, 20), (1, 40), (2, 50), (2, 20), (2, NULL), (3, 10)) AS t(userid, itemid)
