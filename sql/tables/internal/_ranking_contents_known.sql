-- Internal: how many users of a history have each of its items.
--
-- pairs:   name of a table with userid, itemid, none twice
-- head:    the share of the pairs that the head has at least
-- Returns: itemid, n_having, n_users (of all items), is_head (whether it is among the most popular items that together
--          reach the share)
-- Example: FROM _ranking_contents_known('pairs', 0.8);
CREATE OR REPLACE TEMP MACRO _ranking_contents_known(pairs, head) AS TABLE
SELECT
    itemid,
    n_having,
    (SELECT count(DISTINCT userid) FROM query_table(pairs)) AS n_users,
    coalesce(sum(n_having) OVER (
        ORDER BY n_having DESC NULLS LAST, itemid ASC NULLS LAST ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ), 0) < TRY_CAST(head AS DECIMAL(10, 9)) * sum(n_having) OVER () AS is_head
FROM (SELECT itemid, count(*) AS n_having FROM query_table(pairs) GROUP BY itemid);
