-- Computes overlap, Jaccard index and rank-biased overlap of two systems' lists, for each user.
--
-- persistence: 1 gives all ranks the same weight.
-- Returns:    One row per pair of systems, user and k: baseline, system, userid, k, n_rec_baseline, n_rec, overlap,
--             jaccard, rbo, same_first, same_list, as in ranking.overlap; same_first and same_list are 1 or 0. There is no
--             row if the top k of both lists is empty. `n_rec_baseline`, `n_rec`: number of rows in rec.
-- Example:     WITH by_user AS (FROM ranking.overlap_by_user('rec', [5, 10], baseline := 'popularity'))
--              SELECT k, count(*) AS users, count(*) FILTER (overlap = 0) AS nothing_in_common, max(rbo) AS most_alike
--              FROM by_user GROUP BY k ORDER BY k;
--
-- To find out whether one of several systems resembles the baseline more, run ranking.compare_by_user with `measures :=
-- ['rbo']` on the result.
CREATE OR REPLACE MACRO ranking.overlap_by_user(ARGUMENTS) AS TABLE
{% import "comparison/internal/overlaps.jinja" as overlaps %}
WITH {{ overlaps.overlaps(of) }}
SELECT * EXCLUDE (pair, top_baseline, top_system)
FROM compared
WHERE overlap IS NOT NULL
