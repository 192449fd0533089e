-- Internal: recommendations, with those of a user near each other. A list for each user takes several times as long where
-- every row is another user's. So where the first 8,192 rows are of more than 4,096 users (of fewer rows, of more than half
-- as many), all are sorted by some bits of the user's hash; sorting spills where memory ends.
--
-- rec, names: as for _ranking_recs
-- gather:     false: leave them as they lie; where this is a constant, nothing else is done
-- Returns:    what _ranking_recs does
-- Example:    FROM _ranking_gathered_recs('rec', _ranking_names('userid', 'itemid', 'score', NULL, NULL, true), true);
CREATE OR REPLACE TEMP MACRO _ranking_gathered_recs(rec, names, gather) AS TABLE
FROM _ranking_recs(rec, names)
WHERE NOT gather
UNION ALL
SELECT rows.*
FROM (
    -- Looked at once: a second look may see other rows first, and then rows would be there twice or not at all. Not a CTE,
    -- for which a table of the same name would be taken.
    SELECT 2 * count(DISTINCT userid) > count(*) AS no_order
    FROM (SELECT userid FROM _ranking_recs(rec, names) WHERE gather LIMIT 8192)
) AS first_rows
-- DuckDB 2.0.1 counts one row that is filtered as none, and would put rec into a hash table. It counts these as 20.
JOIN range(100) AS one(place) ON place = 0, LATERAL (
    FROM _ranking_recs(rec, names)
    WHERE gather AND NOT no_order
    UNION ALL
    FROM (
        FROM _ranking_recs(rec, names)
        WHERE gather AND no_order
        ORDER BY (hash(userid) >> 52)::USMALLINT ASC NULLS LAST
    )
) AS rows;
