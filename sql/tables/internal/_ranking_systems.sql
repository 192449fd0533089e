-- Internal: the systems (models) in a table of recommendations. Used by _ranking_judged.
--
-- rec:     name of a table, as query_table takes it
-- Returns: [system,] ranking_system (the same, whether or not there is such a column); one row, without a column
--          system and with a NULL, if rec has no such column
-- Example: FROM _ranking_systems('rec');
CREATE OR REPLACE TEMP MACRO _ranking_systems(rec) AS TABLE
SELECT systems.*
FROM
    (SELECT NULL AS system) AS absent,
    -- Without a column system in `found`, the name means that of `absent`.
    LATERAL (
        SELECT * EXCLUDE (ranking_one), system AS ranking_system
        FROM (
            SELECT DISTINCT * EXCLUDE (userid), 1 AS ranking_one
            FROM (SELECT COLUMNS(lambda c: lower(c) IN ('system', 'userid')) FROM query_table(rec) AS recs)
            WHERE _ranking_has_system(rec)
            UNION ALL BY NAME SELECT 1 AS ranking_one WHERE NOT _ranking_has_system(rec)
        ) AS found
    ) AS systems;
