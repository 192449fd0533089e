-- A judged ranking for every user with truth: what the other table functions are made of.
--
-- rec, truth: tables with userid, itemid, score and userid, itemid [, rel], as query_table takes them: names of
--             tables, views and CTEs, quoted three-part names, file paths, Python variables. With a column
--             `system` in rec (several models in one table), every system is scored over the same users.
-- max_k:      how far to look down the ranking; NULL for all of it
-- Returns:    [system,] userid, n_rec (rows in rec), n_truth (relevant items), judged STRUCT(ranks INTEGER[],
--             grades DOUBLE[], ideal DOUBLE[], size INTEGER, cutoff INTEGER), cut at max_k
-- Example:    SELECT avg(ndcg(judged, 10, 'gain=linear')) FROM ranking_judged('rec', 'truth', 10);
--
-- Users are those with a row in truth whose userid is not NULL; others in rec are left out. Ranking is by score,
-- descending, ties by itemid, ascending, NULL and NaN scores last. An item twice in rec is a miss the second
-- time; twice in truth, its highest grade counts. Without a column rel every grade is 1.
--
-- For a max_k of at most 32, each user's max_k-th best score is found first (`max(score, n)` keeps a heap), and
-- rows below it are not sorted. The planner drops what a call does not need.
CREATE OR REPLACE TEMP MACRO ranking_judged(rec, truth, max_k) AS TABLE
WITH ranking_truths AS (
    SELECT userid, coalesce(list(itemid) FILTER (itemid IS NOT NULL), []) AS items, NULL::DOUBLE[] AS grades
    FROM query_table(truth)
    WHERE userid IS NOT NULL AND NOT ranking_has_rel(truth)
    GROUP BY userid
    UNION ALL
    SELECT
        userid,
        coalesce(list(itemid) FILTER (itemid IS NOT NULL), []),
        coalesce(list(grade) FILTER (itemid IS NOT NULL), [])
    FROM (
        SELECT userid, itemid, max(grade) AS grade
        FROM (
            SELECT
                userid,
                itemid,
                CASE
                    WHEN itemid IS NULL OR isfinite(CAST(rel AS DOUBLE)) THEN CAST(rel AS DOUBLE)
                    ELSE error(
                        'ranking_judged: rel must be a finite number, got ' || coalesce(rel::VARCHAR, 'NULL')
                    )
                END AS grade
            FROM (
                SELECT userid, itemid, CASE WHEN ranking_valid(rec, truth) THEN rel END AS rel
                FROM (FROM query_table(truth) UNION ALL BY NAME SELECT NULL AS rel WHERE false)
                WHERE userid IS NOT NULL AND ranking_has_rel(truth)
            )
        )
        GROUP BY userid, itemid
    )
    GROUP BY userid
),

ranking_counts AS (
    SELECT *
    FROM (
        SELECT
            COLUMNS(lambda c: lower(c) IN ('userid', 'system')),
            count(*) AS n_rec,
            CASE WHEN max_k <= 32 AND count(ranking_score(score)) >= max_k
                THEN max(ranking_score(score), greatest(least(max_k, 32), 1))[-1]
            END AS lowest
        FROM query_table(rec)
        GROUP BY ALL
        UNION ALL BY NAME SELECT NULL AS system WHERE false
    )
    WHERE CASE WHEN ranking_valid(rec, truth) THEN userid END IN (SELECT userid FROM query_table(truth))
),

ranking_lists AS (
    SELECT
        userid,
        system,
        any_value(n_rec) AS n_rec,
        list(itemid ORDER BY score DESC NULLS LAST, itemid NULLS LAST) AS items
    FROM (
        SELECT recs.userid, recs.system, recs.itemid, ranking_score(recs.score) AS score, counts.n_rec, counts.lowest
        FROM (FROM query_table(rec) UNION ALL BY NAME SELECT NULL AS system WHERE false) AS recs
        JOIN ranking_counts AS counts
            ON recs.userid = counts.userid
            AND CASE WHEN ranking_has_system(rec) THEN recs.system IS NOT DISTINCT FROM counts.system ELSE true END
    )
    WHERE CASE WHEN max_k <= 32 THEN lowest IS NULL OR score >= lowest ELSE true END
    GROUP BY userid, system
),

ranking_pairs AS (
    SELECT
        systems.* EXCLUDE (ranking_system),
        truths.userid,
        coalesce(lists.n_rec, 0) AS n_rec,
        CASE WHEN max_k IS NULL THEN coalesce(lists.items, []) ELSE coalesce(lists.items, [])[:max_k] END AS listed,
        truths.items,
        truths.grades
    FROM ranking_truths AS truths
    CROSS JOIN ranking_systems(rec) AS systems
    LEFT JOIN ranking_lists AS lists
        ON lists.userid = truths.userid AND lists.system IS NOT DISTINCT FROM systems.ranking_system
    WHERE (SELECT ranking_valid(rec, truth))
)

SELECT
    * EXCLUDE (listed, items, grades, judged),
    len(list_filter(judged.ideal, lambda grade: grade > 0)) AS n_truth,
    judged
FROM (
    SELECT
        *,
        CASE
            -- HUGEINT and UHUGEINT reach the function alike: as text they do not.
            WHEN regexp_matches(typeof(listed) || typeof(items), '^U?HUGEINT|]U?HUGEINT') AND ranking_has_rel(truth)
                THEN system.main.udf_judge(listed::VARCHAR[], map(items::VARCHAR[], grades))
            WHEN regexp_matches(typeof(listed) || typeof(items), '^U?HUGEINT|]U?HUGEINT')
                THEN system.main.udf_judge(listed::VARCHAR[], items::VARCHAR[])
            WHEN ranking_has_rel(truth) THEN system.main.udf_judge(listed, map(items, grades))
            ELSE system.main.udf_judge(listed, items)
        END AS judged
    FROM ranking_pairs
);
