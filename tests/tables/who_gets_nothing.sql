-- All have lists of system -1; of each other system one user has none, or half of them.
CREATE TABLE truth AS
SELECT userid, itemid, list_extract([-1, 0, 1, 3], 1 + (hash(userid, itemid) % 4)::INT)::DOUBLE AS rel
FROM range(60) users(userid), range(6) items(itemid) WHERE hash(itemid, userid, 1) % 2 = 0;
CREATE TABLE rec AS
SELECT system, userid, hash(userid, place) % 6 AS itemid, hash(place, userid) % 3 AS score
FROM range(-1, 70) systems(system), range(60) users(userid), range(5) places(place)
WHERE hash(userid, place, 1) % 2 = 0 AND system <> userid
    AND (system < 60 OR hash(system, userid) % 2 = 0);
