-- Internal: the ranking of each system and user: by score, descending, ties by itemid, ascending, NULL and NaN scores
-- last. Of a user without truth, who is only counted, no more than the best score.
--
-- For a max_k of at most 32, each user's max_k-th best score is found first (`max(score, n)` keeps a heap), and
-- rows below it are not sorted; for the few that are left, gathering gains nothing. Where a DOUBLE holds every score, a
-- list is sorted when it is whole, by opposite scores: `list(... ORDER BY ...)` takes longer.
--
-- rec, truth: names of tables, as query_table takes them
-- names:      what _ranking_names gives
-- max_k:      where the ranking is cut; NULL for all of it
-- tied:       whether a tie at max_k is kept as a whole, and scores are given; a constant
-- Returns:    system (NULL if there is no such column), userid, n_rec (rows in rec), items, scores (NULL unless
--             tied)
-- Example:    FROM _ranking_rec_lists(
--     'rec', 'truth', _ranking_names('userid', 'itemid', 'score', NULL, NULL, true), 10, false);
CREATE OR REPLACE TEMP MACRO _ranking_rec_lists(rec, truth, names, max_k, tied) AS TABLE
SELECT
    userid,
    system,
    any_value(n_rec) AS n_rec,
    (CASE
        WHEN _ranking_few_digits(typeof(any_value(score)))
            THEN list_transform(
                -- A NULL inside of a pair comes last, whatever the settings.
                list_sort(
                    list((TRY_CAST(score AS DOUBLE) * CASE WHEN names['descending'] THEN -1 ELSE 1 END, itemid)),
                    'ASC',
                    'NULLS LAST'
                ),
                lambda pair: pair[2]
            )
        WHEN names['descending'] THEN list(itemid ORDER BY score DESC NULLS LAST, itemid ASC NULLS LAST)
        ELSE list(itemid ORDER BY score ASC NULLS LAST, itemid ASC NULLS LAST)
    END)[:CASE WHEN tied THEN 2147483647 ELSE coalesce(max_k, 2147483647) END] AS items,
    CASE WHEN tied
        THEN list_sort(list(score), CASE WHEN names['descending'] THEN 'DESC' ELSE 'ASC' END, 'NULLS LAST')
    END AS scores
FROM (
    SELECT recs.userid, recs.system, recs.itemid, _ranking_score(recs.score) AS score, counts.n_rec, counts.last
    FROM _ranking_gathered_recs(rec, names, coalesce(max_k > 32, true)) AS recs
    JOIN (
        SELECT
            counts.* REPLACE (CASE WHEN truths.userid IS NULL THEN best ELSE last END AS last)
        FROM (
            SELECT
                userid,
                system,
                count(*) AS n_rec,
                CASE WHEN names['descending'] THEN max(_ranking_score(score)) ELSE min(_ranking_score(score)) END AS best,
                CASE WHEN max_k <= 32 AND count(_ranking_score(score)) >= max_k
                    THEN CASE
                        WHEN names['descending'] THEN max(_ranking_score(score), greatest(least(max_k, 32), 1))
                        ELSE min(_ranking_score(score), greatest(least(max_k, 32), 1))
                    END[-1]
                END AS last
            FROM _ranking_recs(rec, names)
            WHERE userid IS NOT NULL
            GROUP BY userid, system
        ) AS counts
        LEFT JOIN (SELECT DISTINCT userid FROM _ranking_truths(truth, names)) AS truths
            ON _ranking_same_id(counts.userid, truths.userid)
    ) AS counts
        ON recs.userid = counts.userid
        AND CASE WHEN _ranking_has(rec, names['system'], 'system') THEN recs.system IS NOT DISTINCT FROM counts.system ELSE true END
)
WHERE last IS NULL OR CASE WHEN names['descending'] THEN score >= last ELSE score <= last END
GROUP BY userid, system;
