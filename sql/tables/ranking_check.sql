-- The problems of two tables before they are evaluated, a row per kind of problem and system.
--
-- rec, truth: tables with userid, itemid, score and userid, itemid [, rel], as for ranking_judged
-- ks:         the cut-offs at which tied scores and short lists are looked for, and above the largest of which ties and
--             repeated items are; NULL among them for the whole list
-- user_col, ..., descending, min_grade: as for ranking_judged
-- history:    a table with userid, itemid [, time]: what the recommendations were made of, as train of ranking_split
-- time_col:   what the column of times is called in truth and in history; by default time; '' if there are none, so
--             that late events are not looked for
-- Returns:    one row per kind of problem and system that has it: problem, system (as text; NULL where the row is about
--             truth or all of rec), count (of rows, or of what the problem says), example; no row if all is well
-- Errors:     a table that is not there; ks as for ranking_summary. All else is a row, a missing column too.
-- Example:    FROM ranking_check('rec', 'truth', ks := [5, 10]);
--
-- Of a history it counts pairs of truth that are in it, its events at or after truth's first, rows of rec that are in it,
-- and the users and items of truth that are not. Of folds in one table, leave the times out (time_col := ''), since one
-- fold's test is the train of another.
--
-- What the table functions make of each: rows without a userid are left out; an item without an id, or listed
-- before, takes up a rank and is never a hit; NULL and NaN scores rank last; the highest of an item's grades
-- counts; tied scores are ordered by itemid; a NULL, NaN or infinite grade, ids of different types, and columns that
-- look like grades, systems or runs and are not named are errors. Where one system alone has ranks for scores, rank
-- them all by the highest score:
-- SELECT * REPLACE (CASE system WHEN 'bert' THEN -score ELSE score END AS score) FROM rec.
CREATE OR REPLACE TEMP MACRO ranking_check(
    rec, truth, ks := [10],
    user_col := 'userid', item_col := 'itemid', score_col := 'score', grade_col := NULL, system_col := NULL,
    descending := true,
    history := NULL, time_col := NULL, min_grade := NULL
) AS TABLE
WITH _ranking_problems_found AS NOT MATERIALIZED (
    FROM _ranking_user_problems(
        rec,
        truth,
        _ranking_names(user_col, item_col, score_col, grade_col, system_col, descending),
        _ranking_cuts(ks, 'ranking_check'),
        _ranking_longest(ks),
        min_grade
    )
    UNION ALL
    FROM _ranking_table_problems(
        rec, truth, _ranking_names(user_col, item_col, score_col, grade_col, system_col, descending), min_grade
    )
), _ranking_with_history AS NOT MATERIALIZED (
    FROM _ranking_problems_found
    UNION ALL
    FROM _ranking_history_problems(
        rec,
        truth,
        _ranking_table('history', history),
        _ranking_names(user_col, item_col, score_col, grade_col, system_col, descending),
        time_col
    )
)
FROM _ranking_problem_rows(CASE WHEN history IS NULL THEN '_ranking_problems_found' ELSE '_ranking_with_history' END);
