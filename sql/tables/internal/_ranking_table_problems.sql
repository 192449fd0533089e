-- Internal: the problems of columns and arguments, and a rec without a row.
--
-- rec, truth: names of tables, as query_table takes them
-- names:      what _ranking_names gives
-- min_grade, unjudged: as for ranking_check
-- Returns:    what _ranking_user_problems does, of and severity
-- Example:    FROM _ranking_table_problems(
--     'rec', 'truth', _ranking_names('userid', 'itemid', 'score', NULL, NULL, true), NULL, 'miss');
CREATE OR REPLACE TEMP MACRO _ranking_table_problems(rec, truth, names, min_grade, unjudged) AS TABLE
SELECT
    'unfit_column' AS code, NULL::VARCHAR AS system, NULL::BIGINT AS k, 1::BIGINT AS count,
    NULL::STRUCT(user VARCHAR, item VARCHAR) AS of_row, misfit AS example, NULL::BIGINT AS size, NULL::BIGINT AS of,
    NULL::VARCHAR AS severity
FROM (SELECT unnest(
    _ranking_misfits(rec, truth, names)
    || [
        _ranking_min_grade_problem(min_grade),
        _ranking_option('unjudged', unjudged, 'miss|skip', unjudged::VARCHAR IN ('miss', 'skip'))
    ]) AS misfit)
WHERE misfit IS NOT NULL
UNION ALL
SELECT 'grade_not_read', NULL, NULL, len(found), NULL, array_to_string(found, ', '), NULL, NULL, NULL
FROM (
    SELECT _ranking_like_grades(_ranking_column_texts(typeof((SELECT truths FROM query_table(truth) AS truths WHERE false))))
        AS found
)
WHERE names['grade'] IS NULL AND NOT _ranking_has(truth, names['grade'], 'rel') AND len(found) > 0
UNION ALL
SELECT 'system_not_read', NULL, NULL, len(found), NULL, array_to_string(found, ', '), NULL, NULL, NULL
FROM (
    SELECT _ranking_like_systems(_ranking_column_texts(typeof((SELECT recs FROM query_table(rec) AS recs WHERE false))))
        AS found
)
WHERE names['system'] IS NULL AND NOT _ranking_has(rec, names['system'], 'system') AND len(found) > 0
UNION ALL
SELECT 'run_not_read', NULL, NULL, len(found), NULL, array_to_string(found, ', '), NULL, NULL, NULL
FROM (
    SELECT list_filter(
        _ranking_like_runs(_ranking_column_texts(typeof((SELECT recs FROM query_table(rec) AS recs WHERE false)))),
        lambda run: lower(run) <> lower(coalesce(names['system']::VARCHAR, 'system'))) AS found
)
WHERE names['system'] IS DISTINCT FROM '' AND len(found) > 0
UNION ALL
SELECT 'no_rows', NULL, NULL, 1, NULL, NULL, NULL, NULL, NULL
WHERE NOT EXISTS (FROM query_table(rec));
