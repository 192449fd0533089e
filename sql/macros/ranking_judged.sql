-- A judged ranking for every user with truth: what the other table functions are made of.
--
-- rec, truth: tables with userid, itemid, score and userid, itemid [, rel], as query_table takes them: names of
--             tables, views and CTEs, quoted three-part names, file paths, Python variables. With a column
--             `system` in rec (several models in one table), every system is scored over the same users.
-- max_k:      how far to look down the ranking; NULL for all of it
-- Returns:    [system,] userid, n_rec (rows in rec), n_truth (relevant items), judged STRUCT(ranks INTEGER[],
--             grades DOUBLE[], ideal DOUBLE[], size INTEGER), cut at max_k
-- Example:    SELECT avg(ndcg(judged, 10, 'gain=linear')) FROM ranking_judged('rec', 'truth', 10);
--
-- Users are those with a row in truth whose userid is not NULL; others in rec are left out. Ranking is by score,
-- descending, ties by itemid, ascending, NULL and NaN scores last. An item twice in rec is a miss the second
-- time; twice in truth, its highest grade counts. Without a column rel every grade is 1.
--
-- No list of items is ever built. For a max_k of at most 128, each user's best scores are kept in a heap
-- (`max(score, n)`), which is far cheaper than to sort whole rows: the place of a hit is the place of its score
-- among them. Only where that score is tied must the tied rows be ordered by itemid, and only then are they.
-- NULL scores follow, ordered by itemid, where there are fewer scores than max_k. Beyond 128 all rows are
-- sorted. The planner drops what a call does not need.
CREATE OR REPLACE TEMP MACRO ranking_judged(rec, truth, max_k) AS TABLE
WITH ranking_pairs AS MATERIALIZED (
    SELECT
        userid,
        itemid,
        CASE WHEN ranking_has_rel(truth) THEN max(grade) ELSE 1.0::DOUBLE END AS grade
    FROM (
        SELECT
            CASE WHEN ranking_valid(rec, truth) THEN userid END AS userid,
            CASE WHEN ranking_valid(rec, truth) THEN itemid END AS itemid,
            CASE
                WHEN itemid IS NULL OR NOT ranking_has_rel(truth) THEN 0
                WHEN isfinite(CAST(rel AS DOUBLE)) THEN CAST(rel AS DOUBLE)
                ELSE error('ranking_judged: rel must be a finite number, got ' || coalesce(rel::VARCHAR, 'NULL'))
            END AS grade
        FROM (FROM query_table(truth) UNION ALL BY NAME SELECT NULL AS rel WHERE false)
        WHERE userid IS NOT NULL
    )
    GROUP BY userid, itemid
),

ranking_users AS MATERIALIZED (
    SELECT *, row_number() OVER () AS user_number
    FROM (
        SELECT
            userid,
            count(*) FILTER (itemid IS NOT NULL AND grade > 0) AS n_truth,
            CASE
                WHEN ranking_has_rel(truth)
                    THEN coalesce(list_reverse_sort(list(grade) FILTER (itemid IS NOT NULL)), [])
                ELSE repeat([1.0::DOUBLE], count(*) FILTER (itemid IS NOT NULL))
            END AS ideal
        FROM ranking_pairs
        GROUP BY userid
    )
    WHERE (SELECT ranking_valid(rec, truth))
),

ranking_systems AS MATERIALIZED (
    FROM ranking_systems(rec)
),

ranking_heaps AS MATERIALIZED (
    SELECT
        heaps.*,
        system_number,
        user_number,
        user_number + (system_number << 40) AS ranking,
        CASE WHEN len(best) > max_k THEN best[greatest(max_k, 1)] ELSE lowest END AS cut
    FROM (
        SELECT
            COLUMNS(lambda c: lower(c) IN ('userid', 'system')),
            count(*) AS n_rec,
            CASE WHEN max_k <= 128 THEN count(ranking_score(score)) END AS n_scored,
            CASE WHEN max_k <= 128 THEN max(ranking_score(score), least(max_k, 128) + 1) END AS best,
            CASE WHEN max_k <= 128 THEN min(ranking_score(score)) END AS lowest
        FROM query_table(rec)
        WHERE CASE WHEN ranking_valid(rec, truth) THEN userid END IN (SELECT userid FROM ranking_users)
        GROUP BY ALL
        UNION ALL BY NAME SELECT NULL AS system WHERE false
    ) AS heaps
    JOIN (FROM ranking_systems UNION ALL BY NAME SELECT NULL AS system WHERE false) AS systems
        ON heaps.system IS NOT DISTINCT FROM systems.system
    JOIN ranking_users AS users ON heaps.userid = users.userid
),

ranking_rows AS NOT MATERIALIZED (
    SELECT userid, itemid, system, ranking_score(score) AS score
    FROM (FROM query_table(rec) UNION ALL BY NAME SELECT NULL AS system WHERE false)
),

ranking_candidates AS NOT MATERIALIZED (
    SELECT heaps.ranking, heaps.user_number, recs.itemid, recs.score, NULL::BIGINT AS place
    FROM ranking_rows AS recs, ranking_heaps AS heaps
    WHERE recs.userid = heaps.userid
        AND CASE WHEN ranking_has_system(rec) THEN recs.system IS NOT DISTINCT FROM heaps.system ELSE true END
        AND recs.score >= heaps.cut
        AND max_k <= 128
    UNION ALL
    SELECT
        heaps.ranking, heaps.user_number, recs.itemid, NULL,
        heaps.n_scored + row_number() OVER (PARTITION BY heaps.ranking ORDER BY recs.itemid NULLS LAST)
    FROM ranking_rows AS recs, ranking_heaps AS heaps
    WHERE recs.userid = heaps.userid
        AND CASE WHEN ranking_has_system(rec) THEN recs.system IS NOT DISTINCT FROM heaps.system ELSE true END
        AND recs.score IS NULL AND heaps.n_scored < least(max_k, heaps.n_rec)
        AND max_k <= 128
    UNION ALL
    SELECT
        heaps.ranking, heaps.user_number, recs.itemid, NULL,
        row_number() OVER (
            PARTITION BY heaps.ranking ORDER BY recs.score DESC NULLS LAST, recs.itemid NULLS LAST
        ) AS place
    FROM ranking_rows AS recs, ranking_heaps AS heaps
    WHERE recs.userid = heaps.userid
        AND CASE WHEN ranking_has_system(rec) THEN recs.system IS NOT DISTINCT FROM heaps.system ELSE true END
        AND coalesce(max_k > 128, true)
    QUALIFY coalesce(place <= max_k, true)
),

ranking_hits AS MATERIALIZED (
    SELECT ranking, pairs.itemid, grade, score, place
    FROM ranking_candidates AS candidates
    JOIN (
        SELECT user_number, itemid, grade
        FROM ranking_pairs JOIN (SELECT userid, user_number FROM ranking_users) USING (userid)
        WHERE itemid IS NOT NULL
    ) AS pairs ON candidates.user_number = pairs.user_number AND candidates.itemid = pairs.itemid
),

ranking_placed AS MATERIALIZED (
    SELECT ranking, itemid, grade, score, list_position(best, score) AS place, best[place + 1] = score AS is_tied
    FROM (
        SELECT hits.ranking, best, unnest(hits, max_depth := 2)
        FROM (
            SELECT ranking, list({'itemid': itemid, 'grade': grade, 'score': score}) AS hits
            FROM ranking_hits
            WHERE place IS NULL
            GROUP BY ranking
        ) AS hits
        JOIN ranking_heaps USING (ranking)
    )
),

ranking_ties AS MATERIALIZED (
    SELECT ranking, userid, system, score, place
    FROM (SELECT DISTINCT ranking, score, place FROM ranking_placed WHERE is_tied AND place <= max_k)
    JOIN ranking_heaps USING (ranking)
),

ranking_tied AS NOT MATERIALIZED (
    SELECT
        ties.ranking, recs.itemid, recs.score,
        ties.place - 1 + row_number() OVER (
            PARTITION BY ties.ranking, recs.score ORDER BY recs.itemid NULLS LAST
        ) AS place
    FROM ranking_rows AS recs, ranking_ties AS ties
    WHERE recs.userid = ties.userid
        AND CASE WHEN ranking_has_system(rec) THEN recs.system IS NOT DISTINCT FROM ties.system ELSE true END
        AND recs.score = ties.score
),

ranking_places AS NOT MATERIALIZED (
    SELECT ranking, itemid, min(place)::INTEGER AS place, any_value(grade) AS grade
    FROM (
        SELECT ranking, itemid, place, grade FROM ranking_placed WHERE is_tied IS DISTINCT FROM true
        UNION ALL
        SELECT ranking, itemid, tied.place, grade
        FROM ranking_tied AS tied JOIN ranking_placed AS placed USING (ranking, itemid, score)
        UNION ALL
        SELECT ranking, itemid, place, grade FROM ranking_hits WHERE place IS NOT NULL
    )
    WHERE coalesce(place <= max_k, true)
    GROUP BY ranking, itemid
),

ranking_lists AS NOT MATERIALIZED (
    SELECT
        ranking,
        list_transform(places, lambda x: x.place) AS ranks,
        list_transform(places, lambda x: x.grade) AS grades
    FROM (SELECT ranking, list_sort(list({'place': place, 'grade': grade})) AS places FROM ranking_places GROUP BY ranking)
)

SELECT
    systems.* EXCLUDE (system_number, ranking_one),
    users.userid,
    coalesce(heaps.n_rec, 0) AS n_rec,
    users.n_truth,
    {
        'ranks': coalesce(lists.ranks, []),
        'grades': coalesce(lists.grades, []),
        'ideal': users.ideal,
        'size': least(coalesce(heaps.n_rec, 0), max_k)::INTEGER
    } AS judged
FROM ranking_users AS users
CROSS JOIN ranking_systems AS systems
LEFT JOIN ranking_heaps AS heaps
    ON heaps.user_number = users.user_number AND heaps.system_number = systems.system_number
LEFT JOIN ranking_lists AS lists ON lists.ranking = heaps.ranking;
