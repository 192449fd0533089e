-- Internal: the ranking of each system and user: by score, descending, ties by itemid, ascending, NULL and NaN scores
-- last. Of a user without truth, who is only counted, no more than the best score. Used by _ranking_judged.
--
-- For a max_k of at most 32, each user's max_k-th best score is found first (`max(score, n)` keeps a heap), and
-- rows below it are not sorted. Where a DOUBLE holds every score, a list is sorted when it is whole, by opposite
-- scores: `list(... ORDER BY ...)` takes longer.
--
-- rec, truth: names of tables, as query_table takes them
-- max_k:      where the ranking is cut; NULL for all of it
-- Returns:    system (NULL if there is no such column), userid, n_rec (rows in rec), items (of a type that those of
--             truth can have) and texts, one of the two NULL: see _ranking_mixed_items
-- Example:    FROM _ranking_rec_lists('rec', 'truth', 10);
CREATE OR REPLACE TEMP MACRO _ranking_rec_lists(rec, truth, max_k) AS TABLE
SELECT
    userid,
    system,
    n_rec,
    CASE WHEN _ranking_mixed_items(rec, truth) THEN NULL ELSE items END AS items,
    CASE WHEN _ranking_mixed_items(rec, truth) THEN items::VARCHAR[] END AS texts
FROM (
    SELECT
        userid,
        system,
        any_value(n_rec) AS n_rec,
        CASE
            WHEN _ranking_few_digits(typeof((SELECT score FROM query_table(rec) AS recs WHERE false)))
                THEN list_transform(
                    -- A NULL inside of a pair comes last, whatever the settings.
                    list_sort(list((-TRY_CAST(score AS DOUBLE), itemid)), 'ASC', 'NULLS LAST')[:coalesce(max_k, 2147483647)],
                    lambda pair: pair[2]
                )
            ELSE list(itemid ORDER BY score DESC NULLS LAST, itemid ASC NULLS LAST)[:coalesce(max_k, 2147483647)]
        END AS items
    FROM (
        SELECT recs.userid, recs.system, recs.itemid, _ranking_score(recs.score) AS score, counts.n_rec, counts.lowest
        FROM (FROM query_table(rec) AS recs UNION ALL BY NAME SELECT NULL AS system WHERE false) AS recs
        JOIN (
            SELECT
                counts.* REPLACE (CASE WHEN truths.userid IS NULL THEN highest ELSE lowest END AS lowest)
            FROM (
                SELECT
                    COLUMNS(lambda c: lower(c) IN ('userid', 'system')),
                    count(*) AS n_rec,
                    max(_ranking_score(score)) AS highest,
                    CASE WHEN max_k <= 32 AND count(_ranking_score(score)) >= max_k
                        THEN max(_ranking_score(score), greatest(least(max_k, 32), 1))[-1]
                    END AS lowest
                FROM query_table(rec) AS recs
                WHERE userid IS NOT NULL
                GROUP BY ALL
                UNION ALL BY NAME SELECT NULL AS system WHERE false
            ) AS counts
            LEFT JOIN (SELECT DISTINCT userid FROM query_table(truth) AS truths) AS truths
                ON _ranking_same(counts.userid, truths.userid, _ranking_mixed_users(rec, truth))
        ) AS counts
            ON recs.userid = counts.userid
            AND CASE WHEN _ranking_has_system(rec) THEN recs.system IS NOT DISTINCT FROM counts.system ELSE true END
    )
    WHERE lowest IS NULL OR score >= lowest
    GROUP BY userid, system
)
UNION ALL BY NAME
SELECT [itemid] AS items FROM query_table(truth) AS truths WHERE false;
