-- Internal: the ranking of each system and user with truth: by score, descending, ties by itemid, ascending, NULL
-- and NaN scores last. Used by _ranking_judged.
--
-- For a max_k of at most 32, each user's max_k-th best score is found first (`max(score, n)` keeps a heap), and
-- rows below it are not sorted.
--
-- rec, truth: names of tables, as query_table takes them
-- max_k:      how far down the ranking must be whole; NULL for all of it
-- caller:     the function that an error names
-- Returns:    system (NULL if there is no such column), userid, n_rec (rows in rec), items
-- Example:    FROM _ranking_rec_lists('rec', 'truth', 10, 'ranking_judged');
CREATE OR REPLACE TEMP MACRO _ranking_rec_lists(rec, truth, max_k, caller) AS TABLE
SELECT
    userid,
    system,
    any_value(n_rec) AS n_rec,
    list(itemid ORDER BY score DESC NULLS LAST, itemid ASC NULLS LAST) AS items
FROM (
    SELECT recs.userid, recs.system, recs.itemid, _ranking_score(recs.score) AS score, counts.n_rec, counts.lowest
    FROM (FROM query_table(rec) AS recs UNION ALL BY NAME SELECT NULL AS system WHERE false) AS recs
    JOIN (
        SELECT counts.*
        FROM (
            SELECT
                COLUMNS(lambda c: lower(c) IN ('userid', 'system')),
                count(*) AS n_rec,
                CASE WHEN max_k <= 32 AND count(_ranking_score(score)) >= max_k
                    THEN max(_ranking_score(score), greatest(least(max_k, 32), 1))[-1]
                END AS lowest
            FROM query_table(rec) AS recs
            GROUP BY ALL
            UNION ALL BY NAME SELECT NULL AS system WHERE false
        ) AS counts
        JOIN (SELECT DISTINCT userid FROM query_table(truth) AS truths) AS truths
            ON CASE
                WHEN _ranking_valid(rec, truth, caller)
                THEN _ranking_id(counts.userid, (SELECT userid FROM query_table(truth) AS truths WHERE false))
            END = _ranking_id(truths.userid, (SELECT userid FROM query_table(rec) AS recs WHERE false))
    ) AS counts
        ON recs.userid = counts.userid
        AND CASE WHEN _ranking_has_system(rec) THEN recs.system IS NOT DISTINCT FROM counts.system ELSE true END
)
WHERE CASE WHEN max_k <= 32 THEN lowest IS NULL OR score >= lowest ELSE true END
GROUP BY userid, system;
