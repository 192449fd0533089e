-- The systems (models) in a table of recommendations, numbered. Used by ranking_judged and ranking_summary.
--
-- rec:     name of a table, as query_table takes it
-- Returns: [system,] system_number, ranking_one (1); one row, without a column system, if rec has no such column
-- Example: FROM ranking_systems('rec');
CREATE OR REPLACE TEMP MACRO ranking_systems(rec) AS TABLE
SELECT *, row_number() OVER () AS system_number
FROM (
    SELECT DISTINCT COLUMNS(lambda c: lower(c) = 'system' OR c = 'ranking_one')
    FROM (SELECT *, 1 AS ranking_one FROM query_table(rec))
    WHERE ranking_has_system(rec)
    UNION ALL BY NAME SELECT 1 AS ranking_one WHERE NOT ranking_has_system(rec)
);
