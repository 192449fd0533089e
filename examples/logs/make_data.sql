-- Makes the tables of README.md, with what nobody knows of a real log: how good each item is, and who looks at a rank.
--
-- A shop's search: 300 queries, 15 items each. A list shows six. At rank 1 everyone looks, at rank r a share of r^-0.8. Who
-- looks at an item clicks with the probability `relevance`. The rankers `old`, `test` and `new` know it equally well. In the
-- log, a coin chose old or test for each list; nobody was shown a list of new. Nothing is random: each draw is a hash.

CREATE OR REPLACE TEMP MACRO draw(what, a, b) AS md5_number_lower(concat_ws('/', 5, what, a, b)) / 18446744073709551616.0;
CREATE OR REPLACE TEMP MACRO noise(what, a, b) AS draw(what, a, b) + draw(what, b, a || 'x') + draw(what, a || 'y', b) - 1.5;

CREATE OR REPLACE TABLE relevant AS
SELECT 'q' || q AS query, q || '-' || i AS item, draw('relevance', q, i) ** 3 AS relevance
FROM range(1, 301) AS queries(q), range(1, 16) AS items(i);

CREATE OR REPLACE TABLE ranked AS
SELECT system, query, item, relevance + 0.4 * noise(system, query, item) AS score,
    row_number() OVER (PARTITION BY system, query ORDER BY score DESC) AS rank
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
WHERE rank <= 6;
