-- Lists, and the intents that items meet, by a formula; lists hold unknown items, and items again.
CREATE TABLE rec AS
SELECT q AS userid, (q * 7 + rank * (q % 4 + 3)) % 11 AS itemid, -rank AS score
FROM range(30) AS t(q), range(17) AS s(rank) WHERE rank <= q % 9 * 2;
CREATE TABLE truth AS
SELECT q AS userid, item AS itemid, i AS intent, ((item * q + i * 3) % 7 < 1 + q % 3)::INT AS rel
FROM range(30) AS t(q), range(20) AS s(item), range(5) AS u(i)
WHERE item >= q % 3 AND (item - q % 3) % (q % 2 + 1) = 0
