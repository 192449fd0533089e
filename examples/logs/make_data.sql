-- Makes the tables of README.md. Unlike a real log, the true relevance of each item and the propensity of each rank are known.
--
-- A shop's search: 300 queries, 15 items each. A list shows ten. A user examines rank r with probability r^-0.8, and clicks an
-- examined item with probability `relevance`. The rankers `old`, `test` and `new` are equally good. In the log, a coin
-- chose old or test for each list; new was never shown. Nothing is random: each draw is a hash.

CREATE OR REPLACE TEMP MACRO draw(what, a, b) AS md5_number_lower(concat_ws('/', 6, what, a, b)) / 18446744073709551616.0;
CREATE OR REPLACE TEMP MACRO noise(what, a, b) AS draw(what, a, b) + draw(what, b, a || 'x') + draw(what, a || 'y', b) - 1.5;

CREATE OR REPLACE TABLE relevant AS
SELECT 'q' || q AS query, q || '-' || i AS item, draw('relevance', q, i) ** 3 AS relevance
FROM range(1, 301) AS queries(q), range(1, 16) AS items(i);

CREATE OR REPLACE TABLE ranked AS
SELECT system, query, item, relevance + 0.4 * noise(system, query, item) AS score,
    row_number() OVER (PARTITION BY system, query ORDER BY score DESC NULLS LAST) AS rank
FROM relevant, (VALUES ('old'), ('test'), ('new')) AS systems(system);

-- Some queries are frequent, most are rare.
CREATE OR REPLACE TABLE lists AS
SELECT list, 'p' || list % 2000 AS person, 'q' || 1 + floor(300 * draw('query', list, 1) ** 2)::INTEGER AS query,
    CASE WHEN draw('coin', list, 1) < 0.5 THEN 'old' ELSE 'test' END AS system
FROM range(30_000) AS lists(list);

CREATE OR REPLACE TABLE log AS
SELECT list, system, query, item, rank,
    draw('looks', list, rank) < rank ** -0.8 AND draw('likes', list, item) < relevance AS clicked
FROM lists JOIN ranked USING (system, query) JOIN relevant USING (query, item)
WHERE rank <= 10;

-- Interleaved lists of old and new: an item belongs to the team of the ranker that ranks it higher; a coin decides ties.
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

-- Grades from 0 to 2: by a person for 400 items, by a model for all; the model is more lenient.
CREATE OR REPLACE TABLE person_labels AS
SELECT query AS userid, item AS itemid,
    greatest(0, least(2, floor(3 * (relevance + 0.15 * noise('person', query, item)))))::INTEGER AS rel
FROM relevant ORDER BY draw('judged', query, item) ASC NULLS LAST LIMIT 400;

CREATE OR REPLACE TABLE model_labels AS
SELECT query AS userid, item AS itemid,
    greatest(0, least(2, floor(3 * (relevance + 0.1 + 0.15 * noise('model', query, item)))))::INTEGER AS rel
FROM relevant;

-- Grades of items: human labels for a random sample of 60 queries, and model-generated grades for all queries. The model favors
-- the top items of `new`.
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
