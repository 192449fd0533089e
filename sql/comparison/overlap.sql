-- Computes overlap, Jaccard index and rank-biased overlap of two systems' lists, as means over the users.
--
-- Returns:    One row per pair of systems (at most 20, unless you pass a baseline) and k. Means are NULL if no user has a
--             list.
--             `users`: users with a list by at least one system.
--             `baseline_users_without_rec`, `system_users_without_rec`: users without a list by one system. They count as
--             0.
--             `overlap`: common items / items of the longer list.
--             `jaccard`: common items / items in either list.
--             `rbo`: rank-biased overlap.
--             `same_first`, `same_list`: share of users with the same first item, and with the same list.
-- Errors:     Fewer than two systems. An unknown baseline.
-- Source:      Webber, Moffat and Zobel (2010) for rank-biased overlap
-- Example:    SELECT k, users, overlap, jaccard, rbo, same_first FROM ranking.overlap('rec', [10], baseline := 'popularity');
--
-- Each list is cut at k, without NULLs and repeated items. Identical lists have the value 1, lists without a common item
-- 0.
--
-- rbo is a mean over the depths d down to the length of the longer list: (common items of both lists cut at d) / d, with
-- the weight persistence^(d - 1). It is truncated and normalized, as in LensKit; the package rbo extrapolates.
CREATE OR REPLACE MACRO ranking.overlap(ARGUMENTS) AS TABLE
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
