-- Internal: how many users of a history have each of its items.
--
-- pairs:   name of a table with userid, itemid, none twice
-- Returns: itemid, n_having, n_users (of all items)
-- Example: FROM _ranking_contents_known('pairs');
CREATE OR REPLACE TEMP MACRO _ranking_contents_known(pairs) AS TABLE
SELECT itemid, count(*) AS n_having, (SELECT count(DISTINCT userid) FROM query_table(pairs)) AS n_users
FROM query_table(pairs)
GROUP BY itemid;
