-- Internal: whether users and items are swapped in one of the tables: more ids match the other way round.
--
-- read:    name of a table with what _ranking_ids gives
-- Returns: what _ranking_user_problems does
-- Example: FROM _ranking_swapped_problems('read');
CREATE OR REPLACE TEMP MACRO _ranking_swapped_problems(read) AS TABLE
SELECT 'swapped', NULL, NULL, sum(n * is_crossed::BIGINT), NULL, NULL, NULL, sum(n), NULL
FROM (
    SELECT (listed_user IS NULL) <> (known_user IS NULL) AS is_crossed, count(DISTINCT id) AS n
    FROM (SELECT listed_user, coalesce(listed_user::VARCHAR, listed_item::VARCHAR) AS id FROM query_table(read)) AS recs
    JOIN (SELECT known_user, coalesce(known_user::VARCHAR, known_item::VARCHAR) AS id FROM query_table(read)) AS truths USING (id)
    GROUP BY listed_user IS NULL, known_user IS NULL
)
HAVING 2 * sum(n * is_crossed::BIGINT) > sum(n);
