-- Of 40 users each has items 0 to 5 of her own; two of them are relevant. `best` has these first and second.
CREATE TABLE own AS SELECT u, i, u AS userid, 100 * u + i AS itemid FROM range(40) t(u), range(6) s(i);
CREATE VIEW good AS SELECT 'a' AS system, userid, itemid, 10 - i + u / 100.0 AS score FROM own;
CREATE VIEW best AS SELECT 'b' AS system, userid, itemid, -abs(i - 1.1) AS score FROM own;
CREATE VIEW distance AS SELECT 'a' AS system, userid, itemid, abs(i - 0.9) + u / 100.0 AS score FROM own;
CREATE VIEW liked AS SELECT userid, itemid FROM own WHERE i IN (1, 2);
CREATE VIEW graded AS SELECT *, 1 AS rel FROM liked;
CREATE VIEW before AS SELECT userid, itemid, 1 AS time FROM own WHERE i < 3;
CREATE VIEW after AS SELECT userid, itemid, 9 AS time FROM own WHERE i IN (3, 4);
