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
WITH ranking_recs AS (
    SELECT system, userid, itemid, score, ranking_score(score) AS usable
    FROM (FROM query_table(rec) UNION ALL BY NAME SELECT NULL AS system WHERE false)
),

ranking_truths AS (
    SELECT userid, itemid, rel, TRY_CAST(rel AS DOUBLE) AS grade
    FROM (FROM query_table(truth) UNION ALL BY NAME SELECT NULL AS rel WHERE false)
),

ranking_listed AS MATERIALIZED (
    SELECT userid::VARCHAR AS userid FROM (SELECT DISTINCT userid FROM ranking_recs WHERE userid IS NOT NULL)
),

ranking_judging AS MATERIALIZED (
    SELECT userid::VARCHAR AS userid FROM (SELECT DISTINCT userid FROM ranking_truths WHERE userid IS NOT NULL)
),

ranking_places AS (
    SELECT k, userid
    FROM (
        SELECT userid, max(usable, CASE WHEN list_max(ks) >= 1 THEN list_max(ks) + 1 ELSE 1 END) AS best
        FROM ranking_recs
        WHERE userid IS NOT NULL
        GROUP BY system, userid
    )
    CROSS JOIN (SELECT DISTINCT unnest(ks) AS k)
    WHERE k >= 1 AND best[k] = best[k + 1]
)

SELECT problem, count, example
FROM (
    SELECT 'rec: userid is NULL' AS problem, count(*) AS count, concat('itemid ', any_value(itemid)) AS example
    FROM ranking_recs
    WHERE userid IS NULL
    UNION ALL
    SELECT 'rec: itemid is NULL', count(*), concat('userid ', any_value(userid)) FROM ranking_recs WHERE itemid IS NULL
    UNION ALL
    SELECT 'rec: score is NULL', count(*), any_value(concat('userid ', coalesce(userid::VARCHAR, 'NULL'), ', itemid ', coalesce(itemid::VARCHAR, 'NULL')))
    FROM ranking_recs
    WHERE score IS NULL
    UNION ALL
    SELECT 'rec: score is NaN', count(*), any_value(concat('userid ', coalesce(userid::VARCHAR, 'NULL'), ', itemid ', coalesce(itemid::VARCHAR, 'NULL')))
    FROM ranking_recs
    WHERE score IS NOT NULL AND usable IS NULL
    UNION ALL
    SELECT 'rec: (userid, itemid) is there more than once', coalesce(sum(rows - 1), 0), any_value(example)
    FROM (
        SELECT count(*) AS rows, concat('userid ', coalesce(userid::VARCHAR, 'NULL'), ', itemid ', coalesce(itemid::VARCHAR, 'NULL')) AS example
        FROM ranking_recs
        WHERE userid IS NOT NULL AND itemid IS NOT NULL
        GROUP BY system, userid, itemid
        HAVING count(*) > 1
    )
    UNION ALL
    SELECT 'rec: users with tied scores at k = ' || k, count(*), concat('userid ', any_value(userid))
    FROM ranking_places
    GROUP BY k
    UNION ALL
    SELECT 'truth: userid is NULL', count(*), concat('itemid ', any_value(itemid)) FROM ranking_truths WHERE userid IS NULL
    UNION ALL
    SELECT 'truth: itemid is NULL', count(*), concat('userid ', any_value(userid))
    FROM ranking_truths
    WHERE itemid IS NULL
    UNION ALL
    SELECT 'truth: rel is NULL', count(*), any_value(concat('userid ', coalesce(userid::VARCHAR, 'NULL'), ', itemid ', coalesce(itemid::VARCHAR, 'NULL')))
    FROM ranking_truths
    WHERE ranking_has_rel(truth) AND rel IS NULL
    UNION ALL
    SELECT
        'truth: rel is NaN or infinite', count(*),
        any_value(concat('userid ', userid, ', itemid ', itemid, ', rel ', rel))
    FROM ranking_truths
    WHERE NOT isfinite(grade)
    UNION ALL
    SELECT
        'truth: rel is negative', count(*),
        any_value(concat('userid ', userid, ', itemid ', itemid, ', rel ', rel))
    FROM ranking_truths
    WHERE isfinite(grade) AND grade < 0
    UNION ALL
    SELECT 'truth: (userid, itemid) is there more than once', coalesce(sum(rows - 1), 0), any_value(example)
    FROM (
        SELECT count(*) AS rows, concat('userid ', coalesce(userid::VARCHAR, 'NULL'), ', itemid ', coalesce(itemid::VARCHAR, 'NULL')) AS example
        FROM ranking_truths
        WHERE userid IS NOT NULL AND itemid IS NOT NULL
        GROUP BY userid, itemid
        HAVING count(*) > 1
    )
    UNION ALL
    SELECT 'users in truth that are not in rec', count(*), concat('userid ', any_value(userid))
    FROM ranking_judging ANTI JOIN ranking_listed USING (userid)
    UNION ALL
    SELECT 'users in rec that are not in truth', count(*), concat('userid ', any_value(userid))
    FROM ranking_listed ANTI JOIN ranking_judging USING (userid)
    UNION ALL
    SELECT
        'userid is of different types', 1,
        typeof((SELECT userid FROM query_table(rec) WHERE false)) || ' in rec, '
        || typeof((SELECT userid FROM query_table(truth) WHERE false)) || ' in truth'
    WHERE NOT ranking_same_type(
        typeof((SELECT userid FROM query_table(rec) WHERE false)),
        typeof((SELECT userid FROM query_table(truth) WHERE false))
    )
    UNION ALL
    SELECT
        'itemid is of different types', 1,
        typeof((SELECT itemid FROM query_table(rec) WHERE false)) || ' in rec, '
        || typeof((SELECT itemid FROM query_table(truth) WHERE false)) || ' in truth'
    WHERE NOT ranking_same_type(
        typeof((SELECT itemid FROM query_table(rec) WHERE false)),
        typeof((SELECT itemid FROM query_table(truth) WHERE false))
    )
)
WHERE count > 0;
