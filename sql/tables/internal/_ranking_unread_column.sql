-- Internal: the error text of a column that is not read and would change every number if it was: systems or runs in
-- rec, grades in truth; NULL for none. Known when the query is planned.
--
-- rec, truth: names of tables, as query_table takes them
-- names:      what _ranking_names gives; '' for grades or systems means: there are none
-- Returns:    VARCHAR
-- Example:    SELECT _ranking_unread_column('rec', 'truth', _ranking_names('userid', 'itemid', 'score', NULL, NULL, true));
CREATE OR REPLACE TEMP MACRO _ranking_unread_column(rec, truth, names) AS
list_transform(
    list_transform(
        -- In stages, since DuckDB plans each regular expression as often as it is named.
        [{
            'rec': _ranking_column_texts(typeof((SELECT recs FROM query_table(rec) AS recs WHERE false))),
            'truth': _ranking_column_texts(typeof((SELECT truths FROM query_table(truth) AS truths WHERE false)))
        }],
        lambda texts: {
            'system': lower(coalesce(names['system']::VARCHAR, 'system')),
            'is_unnamed': names['system'] IS NULL AND NOT regexp_matches(texts.rec, '(?i), "?system"? '),
            'systems': _ranking_like_systems(texts.rec),
            'runs': list_filter(
                _ranking_like_runs(texts.rec), lambda run: lower(run) <> lower(coalesce(names['system']::VARCHAR, 'system'))),
            -- A score in truth that is called as in rec is likely no grade: the check alone names it.
            'grades': list_filter(
                CASE WHEN names['grade'] IS NULL AND NOT regexp_matches(texts.truth, '(?i), "?rel"? ')
                    THEN _ranking_like_grades(texts.truth) END,
                lambda grade: lower(grade) <> lower(coalesce(names['score']::VARCHAR, 'score')))
        }),
    lambda found: CASE
        WHEN found.is_unnamed AND len(found.systems) > 0
            THEN format(
                'rec has a column {0} that is not read: system_col := ''{0}'' keeps models apart; '
                || 'system_col := '''' if each user has one list',
                found.systems[1])
        WHEN found.system <> '' AND len(found.runs) > 0
            THEN format(
                'rec has a column {0} that is not read, and would make one list of several runs: as system_col, name a '
                || 'column with system || ''/'' || {0} (then take the mean of each user''s runs); {1} if each user has one list',
                found.runs[1],
                CASE WHEN found.is_unnamed THEN 'system_col := ''''' ELSE 'leave it out (SELECT * EXCLUDE)' END)
        WHEN len(found.grades) > 0
            THEN format(
                'truth has a column {0} that is not read: grade_col := ''{0}'' takes it as the grade; '
                || 'grade_col := '''' makes every row of truth relevant',
                found.grades[1])
    END)[1];
