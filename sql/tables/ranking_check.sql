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
CREATE OR REPLACE TEMP MACRO ranking_check(rec, truth, ks := [10]) AS TABLE
SELECT problem, count, example
FROM (
    SELECT unnest([
        {
            'place': 1,
            'problem': 'rec: userid is NULL',
            'count': count(*) FILTER (userid IS NULL),
            'example': min(CASE WHEN userid IS NULL THEN concat('itemid ', itemid) END)
        },
        {
            'place': 2,
            'problem': 'rec: itemid is NULL',
            'count': count(*) FILTER (itemid IS NULL),
            'example': min(CASE WHEN itemid IS NULL THEN concat('userid ', userid) END)
        },
        {
            'place': 3,
            'problem': 'rec: score is NULL',
            'count': count(*) FILTER (score IS NULL),
            'example': min(CASE WHEN score IS NULL THEN _ranking_row(userid, itemid) END)
        },
        {
            'place': 4,
            'problem': 'rec: score is NaN',
            'count': count(*) FILTER (score IS NOT NULL AND usable IS NULL),
            'example': min(CASE WHEN score IS NOT NULL AND usable IS NULL THEN _ranking_row(userid, itemid) END)
        }
    ], recursive := true)
    FROM (SELECT userid, itemid, score, _ranking_score(score) AS usable FROM query_table(rec) AS recs)
    UNION ALL
    SELECT 5, 'rec: (userid, itemid) is there more than once', sum(rows - 1)::BIGINT, min(example)
    FROM (
        SELECT count(*) AS rows, _ranking_row(userid, itemid) AS example
        FROM (FROM query_table(rec) AS recs UNION ALL BY NAME SELECT NULL AS system WHERE false)
        WHERE userid IS NOT NULL AND itemid IS NOT NULL
        GROUP BY system, userid, itemid
        HAVING count(*) > 1
    )
    UNION ALL
    SELECT 6, 'rec: users with tied scores at k = ' || k, count(*), min(concat('userid ', userid))
    FROM _ranking_ties(rec, _ranking_cuts(ks, 'ranking_check'), _ranking_longest(ks))
    GROUP BY k
    UNION ALL
    SELECT unnest([
        {
            'place': 7,
            'problem': 'truth: userid is NULL',
            'count': count(*) FILTER (userid IS NULL),
            'example': min(CASE WHEN userid IS NULL THEN concat('itemid ', itemid) END)
        },
        {
            'place': 8,
            'problem': 'truth: itemid is NULL',
            'count': count(*) FILTER (itemid IS NULL),
            'example': min(CASE WHEN itemid IS NULL THEN concat('userid ', userid) END)
        },
        {
            'place': 9,
            'problem': 'truth: rel is NULL',
            'count': count(*) FILTER (_ranking_has_rel(truth) AND rel IS NULL),
            'example': min(CASE WHEN rel IS NULL THEN _ranking_row(userid, itemid) END)
        },
        {
            'place': 10,
            'problem': 'truth: rel is NaN or infinite',
            'count': count(*) FILTER (NOT isfinite(grade)),
            'example': min(CASE WHEN NOT isfinite(grade) THEN concat(_ranking_row(userid, itemid), ', rel ', rel) END)
        },
        {
            'place': 11,
            'problem': 'truth: rel is negative',
            'count': count(*) FILTER (isfinite(grade) AND grade < 0),
            'example': min(
                CASE WHEN isfinite(grade) AND grade < 0 THEN concat(_ranking_row(userid, itemid), ', rel ', rel) END
            )
        }
    ], recursive := true)
    FROM (
        SELECT userid, itemid, rel, TRY_CAST(rel AS DOUBLE) AS grade
        FROM (FROM query_table(truth) AS truths UNION ALL BY NAME SELECT NULL AS rel WHERE false)
    )
    UNION ALL
    SELECT 12, 'truth: (userid, itemid) is there more than once', sum(rows - 1)::BIGINT, min(example)
    FROM (
        SELECT count(*) AS rows, _ranking_row(userid, itemid) AS example
        FROM query_table(truth) AS truths
        WHERE userid IS NOT NULL AND itemid IS NOT NULL
        GROUP BY userid, itemid
        HAVING count(*) > 1
    )
    UNION ALL
    SELECT unnest([
        {
            'place': 13,
            'problem': 'users in truth that are not in rec',
            'count': count(*) FILTER (listed.userid IS NULL),
            'example': min(CASE WHEN listed.userid IS NULL THEN 'userid ' || judging.userid END)
        },
        {
            'place': 14,
            'problem': 'users in rec that are not in truth',
            'count': count(*) FILTER (judging.userid IS NULL),
            'example': min(CASE WHEN judging.userid IS NULL THEN 'userid ' || listed.userid END)
        }
    ], recursive := true)
    FROM (
        SELECT userid::VARCHAR AS userid
        FROM (SELECT DISTINCT userid FROM query_table(rec) AS recs WHERE userid IS NOT NULL)
    ) AS listed
    FULL JOIN (
        SELECT userid::VARCHAR AS userid
        FROM (SELECT DISTINCT userid FROM query_table(truth) AS truths WHERE userid IS NOT NULL)
    ) AS judging ON listed.userid = judging.userid
    UNION ALL
    SELECT 15, split_part(misfit, ', got ', 1), 1, split_part(misfit, ', got ', 2)
    FROM (SELECT unnest(_ranking_misfits(rec, truth)) AS misfit)
    WHERE misfit IS NOT NULL
)
WHERE count > 0
ORDER BY place, problem;
