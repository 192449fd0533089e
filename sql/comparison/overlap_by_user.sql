-- Computes overlap, Jaccard index and rank-biased overlap of two systems' lists, for each user.
--
-- Returns:    One row per pair of systems, user and k: baseline, system, userid, k, n_rec_baseline and n_rec (numbers of
--             rows in rec), overlap, jaccard, rbo, same_first and same_list (1 or 0). There is no row if the top k of
--             both lists is empty.
-- Example:    SELECT count(*) AS users, max(rbo) AS most_alike
--             FROM ranking.overlap_by_user('rec', [10], baseline := 'popularity');
--
-- To find out which of several systems resembles the baseline more, run ranking.compare_by_user with `measures :=
-- ['rbo']` on the result.
CREATE OR REPLACE MACRO ranking.overlap_by_user(ARGUMENTS) AS TABLE
{% import "comparison/internal/overlaps.jinja" as overlaps %}
WITH {{ overlaps.overlaps(of) }}
SELECT * EXCLUDE (pair, top_baseline, top_system)
FROM compared
WHERE overlap IS NOT NULL
