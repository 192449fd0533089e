-- Makes the tables of README.md, with what nobody knows of a real log: how good each item is, and who looks at a rank.
--
-- A shop's search: 300 queries, 15 items each. A list shows ten. At rank 1 everyone looks, at rank r a share of r^-0.8. Who
-- looks at an item clicks with the probability `relevance`. The rankers `old`, `test` and `new` know it equally well. In the
-- log, a coin chose old or test for each list; nobody was shown a list of new. Nothing is random: each draw is a hash.

CREATE OR REPLACE TEMP MACRO draw(what, a, b) AS md5_number_lower(concat_ws('/', 6, what, a, b)) / 18446744073709551616.0;
CREATE OR REPLACE TEMP MACRO noise(what, a, b) AS draw(what, a, b) + draw(what, b, a || 'x') + draw(what, a || 'y', b) - 1.5;

CREATE OR REPLACE TABLE relevant AS
SELECT 'q' || q AS query, q || '-' || i AS item, draw('relevance', q, i) ** 3 AS relevance
FROM range(1, 301) AS queries(q), range(1, 16) AS items(i);

CREATE OR REPLACE TABLE ranked AS
SELECT system, query, item, relevance + 0.4 * noise(system, query, item) AS score,
    row_number() OVER (PARTITION BY system, query ORDER BY score DESC NULLS LAST) AS rank
FROM relevant, (VALUES ('old'), ('test'), ('new')) AS systems(system);

-- Some queries are asked often, most seldom.
CREATE OR REPLACE TABLE lists AS
SELECT list, 'p' || list % 2000 AS person, 'q' || 1 + floor(300 * draw('query', list, 1) ** 2)::INTEGER AS query,
    CASE WHEN draw('coin', list, 1) < 0.5 THEN 'old' ELSE 'test' END AS system
FROM range(30_000) AS lists(list);

CREATE OR REPLACE TABLE log AS
SELECT list, system, query, item, rank,
    draw('looks', list, rank) < rank ** -0.8 AND draw('likes', list, item) < relevance AS clicked
FROM lists JOIN ranked USING (system, query) JOIN relevant USING (query, item)
WHERE rank <= 10;

-- Interleaved lists of old and new: an item stands for the ranker that has it higher, a coin says which of equals.
CREATE OR REPLACE TABLE interleaved AS
SELECT list, person, query, item, team, rank,
    draw('looks too', list, rank) < rank ** -0.8 AND draw('likes too', list, item) < relevance AS clicked
FROM (
    SELECT *, row_number() OVER (PARTITION BY list ORDER BY turn ASC NULLS LAST) AS rank
    FROM (
        SELECT list, person, query, item, arg_min(team, team_turn) AS team, min(team_turn) AS turn
        FROM (
            SELECT list, person, query, item, ranked.system AS team,
                2 * rank + ((draw('coin', list, 2) < 0.5) = (team = 'old'))::INTEGER AS team_turn
            FROM lists JOIN ranked USING (query)
            WHERE list < 6000 AND ranked.system IN ('old', 'new'))
        GROUP BY ALL))
JOIN relevant USING (query, item)
WHERE rank <= 10;

-- 400 items that a person and a model have graded, 0 to 2; the model is kinder.
CREATE OR REPLACE TABLE judged AS
SELECT query, item,
    greatest(0, least(2, floor(3 * (relevance + 0.15 * noise('person', query, item)))))::INTEGER AS person,
    greatest(0, least(2, floor(3 * (relevance + 0.1 + 0.15 * noise('model', query, item)))))::INTEGER AS model
FROM relevant ORDER BY draw('judged', query, item) ASC NULLS LAST LIMIT 400;

-- Grades of all items: those of 60 queries, drawn at random, by people; those of all queries by a model, which likes what `new`
-- puts on top.
CREATE OR REPLACE TABLE by_people AS
SELECT query AS userid, item AS itemid, greatest(0, relevance + 0.05 * noise('by people', query, item)) AS rel
FROM relevant
SEMI JOIN (
    SELECT DISTINCT query FROM relevant ORDER BY draw('drawn', query, 1) ASC NULLS LAST LIMIT 60
) USING (query);

CREATE OR REPLACE TABLE by_model AS
SELECT query AS userid, item AS itemid,
    greatest(0, relevance + 0.15 * noise('by model', query, item) + CASE WHEN rank <= 3 THEN 0.1 ELSE 0 END) AS rel
FROM relevant JOIN ranked USING (query, item)
WHERE system = 'new';

-- Two models of one quality, trained with three seeds each: their values of each query.
CREATE OR REPLACE TABLE runs AS
SELECT system, seed, query AS userid,
    0.5 + 0.1 * noise('query', query, 0) + 0.1 * noise(system, query, 0) + 0.1 * noise(system, query, seed) AS ndcg
FROM (SELECT DISTINCT query FROM relevant), (VALUES ('a'), ('b')) AS systems(system), range(1, 4) AS seeds(seed);
