-- Overlap, Jaccard index and rank-biased overlap of the lists of two systems, for each user.
--
-- rec, ks, baseline, persistence: as for ranking.overlap
-- user_col, ..., descending: as for ranking.judged
-- Returns:     baseline, system, userid, k, n_rec_baseline and n_rec (rows in rec of either system), overlap, jaccard, rbo,
--              same_first and same_list, as for ranking.overlap; no row where the top k of both is empty
-- Errors:      as for ranking.overlap
-- Example:     WITH by_user AS (FROM ranking.overlap_by_user('rec', [5, 10], baseline := 'popularity'))
--              SELECT k, count(*) AS users, count(*) FILTER (overlap = 0) AS nothing_in_common, max(rbo) AS most_alike
--              FROM by_user GROUP BY k ORDER BY k;
--
-- Of two systems and more beside the baseline, ranking.compare_by_user says which is the more like it, by the verdicts
-- 'higher' and 'lower', since neither is better: FROM ranking.compare_by_user('by_user', measures := ['rbo']).
CREATE OR REPLACE MACRO ranking.overlap_by_user(
    rec, ks, baseline := NULL, persistence := 0.9, REC_COLUMN_ARGUMENTS) AS TABLE
{% import "comparison/internal/overlaps.jinja" as overlaps %}
WITH {{ overlaps.overlaps(of) }}
SELECT * EXCLUDE (pair, top_baseline, top_system)
FROM compared
WHERE overlap IS NOT NULL
