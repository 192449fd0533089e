-- Internal: how far the users' differences spread, of every pair of systems.
--
-- A second look at the users, since only sums of what is left without the mean keep all digits. Each is an exact sum
-- (_ranking_exact_sum) of numbers from -1 to 1: the same on any threads and in any order.
--
-- matched: as of _ranking_paired
-- means:         name of a table, as _ranking_paired_means gives it
-- test:          as of ranking_compare
-- Returns:       pair, k, ranking_segment, place; sums of products of what is left, divided by its power of 2: squares of
--                difference, rest of difference - relative * ours, ours of the baseline's value, joint of the latter two;
--                differences (a LIST of those that are not 0, for the randomization test, else NULL)
-- Example:       FROM _ranking_paired_squares('matched', 'means', 't');
CREATE OR REPLACE TEMP MACRO _ranking_paired_squares(matched, means, test) AS TABLE
SELECT
    ones.pair,
    ones.k,
    ones.ranking_segment,
    ones.place,
    _ranking_exact_sum(((ones.difference - means.difference) / spread) ** 2, 80) AS squares,
    _ranking_exact_sum(((ones.difference - relative * ours) / rest_spread) ** 2, 80) AS rest,
    _ranking_exact_sum(((ours - mean_baseline) / ours_spread) ** 2, 80) AS ours,
    _ranking_exact_sum(
        (ones.difference - relative * ours) / rest_spread * ((ours - mean_baseline) / ours_spread), 80
    ) AS joint,
    CASE WHEN test = 'randomization' THEN list(ones.difference) FILTER (ones.difference <> 0) END AS differences
FROM _ranking_paired(matched) AS ones
JOIN (FROM query_table(means) AS known) AS means
    ON ones.pair = means.pair
    AND ones.place = means.place
    AND ones.k IS NOT DISTINCT FROM means.k
    AND ones.ranking_segment IS NOT DISTINCT FROM means.ranking_segment
GROUP BY ones.pair, ones.k, ones.ranking_segment, ones.place;
