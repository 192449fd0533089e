-- Internal: the problems that only whole tables show: columns, types, ids and users in common.
--
-- rec, truth: names of tables, as query_table takes them
-- names:      what _ranking_names gives
-- min_grade:  as for ranking_check
-- Returns:    place (among all problems), problem, system, count, example, size
-- Example:    FROM _ranking_table_problems(
--     'rec', 'truth', _ranking_names('userid', 'itemid', 'score', NULL, NULL, true));
CREATE OR REPLACE TEMP MACRO _ranking_table_problems(rec, truth, names, min_grade := NULL) AS TABLE
SELECT
    1 AS place,
    split_part(misfit, ', got ', 1) AS problem,
    NULL::VARCHAR AS system,
    1 AS count,
    split_part(misfit, ', got ', 2) AS example,
    NULL::BIGINT AS size
FROM (SELECT unnest(_ranking_misfits(rec, truth, names) || [_ranking_min_grade_problem(min_grade)]) AS misfit)
WHERE misfit IS NOT NULL
UNION ALL
SELECT 2, 'truth: columns that look like grades are not read', NULL, len(found), array_to_string(found, ', '), NULL
FROM (SELECT _ranking_like_grades(typeof((SELECT truths FROM query_table(truth) AS truths WHERE false))) AS found)
WHERE names['grade'] IS NULL AND NOT _ranking_has(truth, names['grade'], 'rel') AND len(found) > 0
UNION ALL
SELECT 3, 'rec: columns that look like systems are not read', NULL, len(found), array_to_string(found, ', '), NULL
FROM (SELECT _ranking_like_systems(typeof((SELECT recs FROM query_table(rec) AS recs WHERE false))) AS found)
WHERE names['system'] IS NULL AND NOT _ranking_has(rec, names['system'], 'system') AND len(found) > 0
UNION ALL
SELECT 3, 'rec: columns that look like runs are not read', NULL, len(found), array_to_string(found, ', '), NULL
FROM (
    SELECT list_filter(
        _ranking_like_runs(typeof((SELECT recs FROM query_table(rec) AS recs WHERE false))),
        lambda run: lower(run) <> lower(coalesce(names['system']::VARCHAR, 'system'))) AS found
)
WHERE names['system'] IS DISTINCT FROM '' AND len(found) > 0
UNION ALL
SELECT 3, 'rec: no rows', NULL, 1, NULL, NULL
WHERE NOT EXISTS (FROM query_table(rec))
UNION ALL
FROM _ranking_id_problems(rec, truth, names, 'user', 8)
UNION ALL
FROM _ranking_id_problems(rec, truth, names, 'item', 9)
UNION ALL
FROM _ranking_apart_problems(rec, truth, names);
