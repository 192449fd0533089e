-- Internal: the error text of a column that is not read and would change every number if it was: systems or runs in
-- rec, grades in truth; NULL for none. Known when the query is planned.
--
-- rec, truth: names of tables, as query_table takes them
-- names:      what _ranking_names gives; '' for grades or systems means: there are none
-- Returns:    VARCHAR
-- Example:    SELECT _ranking_unread_column('rec', 'truth', _ranking_names('userid', 'itemid', 'score', NULL, NULL, true));
CREATE OR REPLACE TEMP MACRO _ranking_unread_column(rec, truth, names) AS
list_transform(
    [{
        'rec': typeof((SELECT recs FROM query_table(rec) AS recs WHERE false)),
        'truth': typeof((SELECT truths FROM query_table(truth) AS truths WHERE false)),
        'system': lower(coalesce(names['system']::VARCHAR, 'system')),
        'is_unnamed': names['system'] IS NULL,
        'grade': CASE WHEN names['grade'] IS NULL THEN 'rel' END,
        'score': lower(coalesce(names['score']::VARCHAR, 'score'))
    }],
    lambda _ranking_types: CASE
        WHEN _ranking_types.is_unnamed
            AND NOT regexp_matches(_ranking_column_texts(_ranking_types.rec), '(?i), "?system"? ')
            AND len(_ranking_like_systems(_ranking_types.rec)) > 0
            THEN format(
                'rec has a column {0} that is not read: system_col := ''{0}'' keeps models apart; '
                || 'system_col := '''' if each user has one list',
                _ranking_like_systems(_ranking_types.rec)[1])
        WHEN _ranking_types.system <> ''
            AND len(list_filter(
                _ranking_like_runs(_ranking_types.rec), lambda run: lower(run) <> _ranking_types.system)) > 0
            THEN format(
                'rec has a column {0} that is not read, and would make one list of several runs: as system_col, name a '
                || 'column with system || ''/'' || {0} (then take the mean of each user''s runs); {1} if each user has one list',
                list_filter(_ranking_like_runs(_ranking_types.rec), lambda run: lower(run) <> _ranking_types.system)[1],
                CASE
                    WHEN _ranking_types.is_unnamed
                        AND NOT regexp_matches(_ranking_column_texts(_ranking_types.rec), '(?i), "?system"? ')
                        THEN 'system_col := '''''
                    ELSE 'leave it out (SELECT * EXCLUDE)'
                END)
        WHEN NOT regexp_matches(_ranking_column_texts(_ranking_types.truth), '(?i), "?' || _ranking_types.grade || '"? ')
            -- A score in truth that is called as in rec is likely no grade: the check alone names it.
            AND len(list_filter(
                _ranking_like_grades(_ranking_types.truth), lambda grade: lower(grade) <> _ranking_types.score)) > 0
            THEN format(
                'truth has a column {0} that is not read: grade_col := ''{0}'' takes it as the grade; '
                || 'grade_col := '''' makes every row of truth relevant',
                list_filter(
                    _ranking_like_grades(_ranking_types.truth), lambda grade: lower(grade) <> _ranking_types.score)[1])
    END)[1];
