-- Internal: the problems of recommendations and truth together: columns, types, users and items in common.
--
-- rec, truth: names of tables, as query_table takes them
-- names:      what _ranking_names gives
-- Returns:    place (among all problems), problem, count, example
-- Example:    FROM _ranking_common_problems(
--     'rec', 'truth', _ranking_names('userid', 'itemid', 'score', NULL, NULL, true));
CREATE OR REPLACE TEMP MACRO _ranking_common_problems(rec, truth, names) AS TABLE
SELECT 1 AS place, split_part(misfit, ', got ', 1) AS problem, 1 AS count, split_part(misfit, ', got ', 2) AS example
FROM (SELECT unnest(_ranking_misfits(rec, truth, names)) AS misfit)
WHERE misfit IS NOT NULL
UNION ALL
SELECT 2, 'truth: columns that look like grades are not read', len(found), array_to_string(found, ', ')
FROM (SELECT _ranking_like_grades(typeof((SELECT truths FROM query_table(truth) AS truths WHERE false))) AS found)
WHERE names['grade'] IS NULL AND NOT _ranking_has(truth, names['grade'], 'rel')
UNION ALL
SELECT 3, 'rec: columns that look like systems are not read', len(found), array_to_string(found, ', ')
FROM (SELECT _ranking_like_systems(typeof((SELECT recs FROM query_table(rec) AS recs WHERE false))) AS found)
WHERE names['system'] IS NULL AND NOT _ranking_has(rec, names['system'], 'system')
UNION ALL
SELECT 3, 'rec: columns that look like runs are not read', len(found), array_to_string(found, ', ')
FROM (
    SELECT list_filter(
        _ranking_like_runs(typeof((SELECT recs FROM query_table(rec) AS recs WHERE false))),
        lambda run: lower(run) <> lower(coalesce(names['system']::VARCHAR, 'system'))) AS found
)
WHERE names['system'] IS DISTINCT FROM ''
UNION ALL
SELECT unnest(_ranking_problems([
    (
        4,
        'no user of truth is in rec',
        CASE WHEN count(listed.id) > 0 AND count(listed.id || judging.id) = 0 THEN count(judging.id) END,
        concat(names['user'], ' ', min(judging.id), ' in truth, ', min(listed.id), ' in rec')
    ),
    (
        31,
        'users in truth that are not in rec',
        count(*) FILTER (listed.id IS NULL),
        concat(names['user'], ' ', min(CASE WHEN listed.id IS NULL THEN judging.id END))
    ),
    (
        32,
        'users in rec that are not in truth',
        count(*) FILTER (judging.id IS NULL),
        concat(names['user'], ' ', min(CASE WHEN judging.id IS NULL THEN listed.id END))
    )
]), recursive := true)
FROM (
    SELECT userid::VARCHAR AS id FROM (SELECT DISTINCT userid FROM _ranking_recs(rec, names)) WHERE userid IS NOT NULL
) AS listed
FULL JOIN (
    SELECT userid::VARCHAR AS id FROM (SELECT DISTINCT userid FROM _ranking_truths(truth, names)) WHERE userid IS NOT NULL
) AS judging ON listed.id = judging.id
UNION ALL
SELECT unnest(_ranking_problems([(
    5,
    'no item of truth is in rec',
    CASE WHEN count(listed.id) > 0 AND count(listed.id || judging.id) = 0 THEN count(judging.id) END,
    concat(names['item'], ' ', min(judging.id), ' in truth, ', min(listed.id), ' in rec')
)]), recursive := true)
FROM (
    SELECT itemid::VARCHAR AS id FROM (SELECT DISTINCT itemid FROM _ranking_recs(rec, names)) WHERE itemid IS NOT NULL
) AS listed
FULL JOIN (
    SELECT itemid::VARCHAR AS id FROM (SELECT DISTINCT itemid FROM _ranking_truths(truth, names)) WHERE itemid IS NOT NULL
) AS judging ON listed.id = judging.id;
