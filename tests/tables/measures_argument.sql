-- Two systems and grades from 0 to 3, by hashes.
CREATE TABLE rec AS
SELECT system, userid, itemid, hash(system, userid, itemid) % 7 AS score
FROM (VALUES ('a'), ('b')) AS systems(system), range(9) AS users(userid), range(12) AS items(itemid)
WHERE hash(itemid, userid, system) % 4 > 0;
CREATE TABLE truth AS
SELECT userid, itemid, hash(userid, itemid) % 4 AS rel
FROM range(10) AS users(userid), range(14) AS items(itemid) WHERE hash(userid + 7, itemid) % 3 > 0;
