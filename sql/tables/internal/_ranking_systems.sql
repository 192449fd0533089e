-- Internal: the systems (models) in a table of recommendations.
--
-- rec:     name of a table, as query_table takes it
-- names:   what _ranking_names gives
-- Returns: [system,] ranking_system (the same, whether or not there is such a column); one row, without a column
--          system and with a NULL, if rec has no such column; one row of NULL if rec has no row
-- Example: FROM _ranking_systems('rec', _ranking_names('userid', 'itemid', 'score', NULL, NULL, true));
CREATE OR REPLACE TEMP MACRO _ranking_systems(rec, names) AS TABLE
SELECT DISTINCT
    -- The user's column, if there is one, as `system`; beside it the other one.
    COLUMNS(concat(
        '(?i)^(?:', regexp_escape(coalesce(names['system']::VARCHAR, 'system')), ')$|^(ranking_)system$')) AS '\1system'
FROM (
    SELECT least(*COLUMNS(_ranking_column(names['system'], 'system'))) AS ranking_system, *
    FROM (SELECT NULL AS ranking_absent, * FROM query_table(_ranking_table('rec', rec)) AS recs)
)
WHERE _ranking_has(rec, names['system'], 'system')
UNION ALL BY NAME
SELECT NULL AS ranking_system
WHERE NOT _ranking_has(rec, names['system'], 'system')
    OR NOT EXISTS (FROM query_table(rec));
