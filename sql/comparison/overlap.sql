-- Overlap, Jaccard index and rank-biased overlap of the lists of two systems, means over the users.
--
-- rec:         table with system, userid, itemid, score, as for ranking.judged; no truth is needed
-- ks:          LIST of cutoffs; NULL among them means the whole list
-- baseline:    name of the system to compare each other one with; NULL for every pair of at most 20 systems
-- persistence: of rbo, a number above 0 to 1: how likely a user goes on from one rank to the next; 1 weighs all ranks
--              alike
-- user_col, ..., descending: as for ranking.judged
-- Returns:     baseline, system, k, users (with a list of either), baseline_users_without_rec and
--              system_users_without_rec (of them; each counts with 0), and means over the users: overlap (common items /
--              items of the longer list), jaccard (common items / items of either list), rbo (rank-biased overlap: the
--              overlap of the lists cut at 1, 2, ..., weighed by persistence^0, persistence^1, ...), same_first (1 where
--              the first items are the same), same_list (1 where all are, in the same order); NULL where no user has a list
-- Errors:      as for ranking.judged, of rec alone; ks as for ranking.evaluate; rec without two systems; a baseline that is
--              none of them; a persistence that is not above 0 to 1
-- Source:      Webber, Moffat and Zobel (2010) for rank-biased overlap
-- Example:     SELECT k, users, overlap, jaccard, rbo, same_first
--              FROM ranking.overlap('rec', [5, 10], baseline := 'popularity');
--
-- A list is cut at k first; then the places of NULLs and of repeated items close up. So identical lists are 1 and lists
-- without a common item 0, whatever k is. rbo sums persistence^(d - 1) x common items of both lists cut at d / d, over the
-- depths d = 1 to the length of the longer list, and divides by the sum of the weights. That is truncated and normalized,
-- as LensKit's: the package rbo extrapolates beyond the lists by default, and OpenSearch divides by the longer of the two
-- prefixes and rounds to two digits.
CREATE OR REPLACE MACRO ranking.overlap(
    rec, ks, baseline := NULL, persistence := 0.9, REC_COLUMN_ARGUMENTS) AS TABLE
{% import "comparison/internal/overlaps.jinja" as overlaps %}
{% import "tables/internal/means.jinja" as means %}
WITH {{ overlaps.overlaps(of) }}
SELECT
    baseline, system, k,
    count(overlap) AS users,
    count(overlap) FILTER (top_baseline = 0) AS baseline_users_without_rec,
    count(overlap) FILTER (top_system = 0) AS system_users_without_rec
    {%- for name in ["overlap", "jaccard", "rbo", "same_first", "same_list"] %}
,
    {{ means.mean(name, true) }} AS {{ name }}
    {%- endfor %}

FROM compared
GROUP BY pair, baseline, system, k
ORDER BY pair ASC NULLS LAST, k ASC NULLS LAST
