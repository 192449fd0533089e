-- The problems of two tables before they are evaluated, a row per kind of problem.
--
-- rec, truth: tables with userid, itemid, score and userid, itemid [, rel], as for ranking_judged
-- ks:         the cut-offs at which tied scores are looked for, and above the largest of which repeated items are; NULL
--             among them for the whole list
-- user_col, ..., descending: as for ranking_judged
-- Returns:    one row per kind of problem that there is: problem, count (of rows, or of what the problem says), example;
--             no row if all is well
-- Errors:     a table that is not there, a column that is missing; ks as for ranking_summary. All else is a row.
-- Example:    FROM ranking_check('rec', 'truth', ks := [5, 10]);
--
-- What the table functions make of each: rows without a userid are left out; an item without an id, or listed
-- before, takes up a rank and is never a hit; NULL and NaN scores rank last; the highest of an item's grades
-- counts; tied scores are ordered by itemid; a NULL, NaN or infinite grade, ids of different types, and columns that
-- look like grades, systems or runs and are not named are errors.
CREATE OR REPLACE TEMP MACRO ranking_check(
    rec, truth, ks := [10],
    user_col := 'userid', item_col := 'itemid', score_col := 'score', grade_col := NULL, system_col := NULL,
    descending := true
) AS TABLE
SELECT problem, count, example
FROM (
    SELECT *, list(place) OVER () AS places
    FROM (
        SELECT place, problem, sum(count)::BIGINT AS count, min(example) AS example
        FROM (
            FROM _ranking_rec_problems(
                rec,
                _ranking_names(user_col, item_col, score_col, grade_col, system_col, descending),
                _ranking_cuts(ks, 'ranking_check'),
                _ranking_longest(ks)
            )
            UNION ALL
            FROM _ranking_truth_problems(
                truth, _ranking_names(user_col, item_col, score_col, grade_col, system_col, descending)
            )
            UNION ALL
            FROM _ranking_common_problems(
                rec, truth, _ranking_names(user_col, item_col, score_col, grade_col, system_col, descending)
            )
        )
        GROUP BY place, problem
    )
)
WHERE place > 0 AND count > 0 AND NOT list_contains(places, -place)
ORDER BY place ASC NULLS LAST, length(problem) ASC NULLS LAST, problem ASC NULLS LAST;  -- k = 5 before k = 10
