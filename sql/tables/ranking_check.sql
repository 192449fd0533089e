-- What is wrong, or worth knowing, about two tables before they are evaluated.
--
-- rec, truth: tables with userid, itemid, score and userid, itemid [, rel], as for ranking_judged
-- ks:         the cut-offs at which tied scores are looked for
-- Returns:    one row per kind of problem that there is: problem, count (of rows, or of users where the problem
--             says so), example; no row if all is well
-- Example:    FROM ranking_check('rec', 'truth', ks := [5, 10]);
--
-- What the table functions make of each: rows without a userid are left out; an item without an id, or listed
-- before, takes up a rank and is never a hit; NULL and NaN scores rank last; the highest of an item's grades
-- counts; tied scores are ordered by itemid; a NULL, NaN or infinite grade and ids of different types are errors.
CREATE OR REPLACE TEMP MACRO ranking_check(
    rec, truth, ks := [10],
    user_col := 'userid', item_col := 'itemid', score_col := 'score', grade_col := NULL, system_col := NULL,
    descending := true
) AS TABLE
SELECT problem, count, example
FROM (
    SELECT unnest([
        _ranking_problem(1, 'rec: userid is NULL', userid IS NULL, _ranking_row(userid, itemid)),
        _ranking_problem(2, 'rec: itemid is NULL', itemid IS NULL, _ranking_row(userid, itemid)),
        _ranking_problem(3, 'rec: score is NULL', score IS NULL, _ranking_row(userid, itemid)),
        _ranking_problem(
            4, 'rec: score is NaN', score IS NOT NULL AND _ranking_score(score) IS NULL, _ranking_row(userid, itemid)
        )
    ], recursive := true)
    FROM _ranking_recs(rec, _ranking_names(user_col, item_col, score_col, grade_col, system_col, descending))
    UNION ALL
    SELECT 5, 'rec: (userid, itemid) is there more than once', sum(copies)::BIGINT, min(example)
    FROM (
        SELECT count(*) - 1 AS copies, _ranking_row(userid, itemid) AS example
        FROM _ranking_recs(rec, _ranking_names(user_col, item_col, score_col, grade_col, system_col, descending))
        WHERE userid IS NOT NULL AND itemid IS NOT NULL
        GROUP BY system, userid, itemid
        HAVING count(*) > 1
    )
    UNION ALL
    SELECT 6, 'rec: users with tied scores at k = ' || k, count(*), 'userid ' || min(userid::VARCHAR)
    FROM _ranking_ties(rec, _ranking_names(user_col, item_col, score_col, grade_col, system_col, descending), _ranking_cuts(ks, 'ranking_check'), _ranking_longest(ks))
    GROUP BY k
    UNION ALL
    SELECT unnest([
        _ranking_problem(7, 'truth: userid is NULL', userid IS NULL, _ranking_row(userid, itemid)),
        _ranking_problem(8, 'truth: itemid is NULL', itemid IS NULL, _ranking_row(userid, itemid)),
        _ranking_problem(9, 'truth: rel is NULL', _ranking_has(truth, grade_col, 'rel') AND rel IS NULL, _ranking_row(userid, itemid)),
        _ranking_problem(
            10, 'truth: rel is NaN or infinite', NOT isfinite(grade), _ranking_row(userid, itemid) || ', rel ' || rel::VARCHAR
        ),
        _ranking_problem(
            11, 'truth: rel is negative', isfinite(grade) AND grade < 0, _ranking_row(userid, itemid) || ', rel ' || rel::VARCHAR
        )
    ], recursive := true)
    FROM (
        SELECT userid, itemid, rel, TRY_CAST(rel AS DOUBLE) AS grade
        FROM _ranking_truths(truth, _ranking_names(user_col, item_col, score_col, grade_col, system_col, descending))
    )
    UNION ALL
    SELECT 12, 'truth: (userid, itemid) is there more than once', sum(copies)::BIGINT, min(example)
    FROM (
        SELECT count(*) - 1 AS copies, _ranking_row(userid, itemid) AS example
        FROM _ranking_truths(truth, _ranking_names(user_col, item_col, score_col, grade_col, system_col, descending))
        WHERE userid IS NOT NULL AND itemid IS NOT NULL
        GROUP BY userid, itemid
        HAVING count(*) > 1
    )
    UNION ALL
    SELECT unnest([
        _ranking_problem(
            13, 'users in truth that are not in rec', listed.userid IS NULL, 'userid ' || judging.userid
        ),
        _ranking_problem(
            14, 'users in rec that are not in truth', judging.userid IS NULL, 'userid ' || listed.userid
        )
    ], recursive := true)
    FROM (
        SELECT userid::VARCHAR AS userid
        FROM (SELECT DISTINCT userid FROM _ranking_recs(rec, _ranking_names(user_col, item_col, score_col, grade_col, system_col, descending)) WHERE userid IS NOT NULL)
    ) AS listed
    FULL JOIN (
        SELECT userid::VARCHAR AS userid
        FROM (SELECT DISTINCT userid FROM _ranking_truths(truth, _ranking_names(user_col, item_col, score_col, grade_col, system_col, descending)) WHERE userid IS NOT NULL)
    ) AS judging ON listed.userid = judging.userid
    UNION ALL
    SELECT 15, split_part(misfit, ', got ', 1), 1, split_part(misfit, ', got ', 2)
    FROM (SELECT unnest(_ranking_misfits(rec, truth, _ranking_names(user_col, item_col, score_col, grade_col, system_col, descending))) AS misfit)
    WHERE misfit IS NOT NULL
)
WHERE count > 0
ORDER BY place ASC, length(problem) ASC, problem ASC;  -- k = 5 before k = 10
