-- Ties, a repeated row, and users of each table alone.
CREATE TABLE rec AS FROM (VALUES
    (7, 'a', 10.0), (7, 'c', 8.0), (7, 'b', 6.0), (7, 'f', 2.0), (9, 'a', 1.0), (9, 'a', 1.0), (10, 'b', 1.0)
) AS t(userid, itemid, score);
CREATE TABLE truth AS FROM (VALUES
    (7, 'a', 3), (7, 'b', 1), (7, 'd', 2), (8, 'e', 1), (9, 'b', 2)
) AS t(userid, itemid, rel);
