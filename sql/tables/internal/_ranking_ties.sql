-- Internal: users whose scores at rank k and k + 1 are equal. Used by ranking_check.
--
-- For cut-offs below 32, each user's best scores are kept in a heap (`max(score, n)`). For others all scores are
-- sorted: a sort can go to disk, a heap cannot.
--
-- rec:     name of a table, as query_table takes it
-- names:   what _ranking_names gives
-- ks:      LIST of cut-offs
-- max_k:   the largest of them; NULL if that is beyond INTEGER
-- Returns: userid (as often as there are systems), k
-- Example: FROM _ranking_ties('rec', _ranking_names('userid', 'itemid', 'score', NULL, NULL, true), [5, 10], 10);
CREATE OR REPLACE TEMP MACRO _ranking_ties(rec, names, ks, max_k) AS TABLE
SELECT userid, k
FROM (
    SELECT userid, max(_ranking_score(score), least(max_k, 31) + 1) AS best
    FROM _ranking_recs(rec, names)
    WHERE userid IS NOT NULL AND coalesce(max_k < 32, false)
    GROUP BY system, userid
)
CROSS JOIN (SELECT unnest(ks) AS k)
WHERE k >= 1 AND best[k] = best[k + 1]
UNION ALL
SELECT userid, place - 1
FROM (
    SELECT userid, score, row_number() OVER ranking AS place, lag(score) OVER ranking AS above
    FROM (
        SELECT system, userid, _ranking_score(score) AS score
        FROM _ranking_recs(rec, names)
    )
    WHERE userid IS NOT NULL AND score IS NOT NULL AND coalesce(max_k >= 32, true)
    WINDOW ranking AS (PARTITION BY system, userid ORDER BY score DESC)
)
WHERE score = above AND place - 1 IN (SELECT unnest(ks));
