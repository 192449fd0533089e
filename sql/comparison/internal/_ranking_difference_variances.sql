-- Internal: how far the users' differences spread, of every pair of systems.
--
-- A second look at the users, since only sums of what is left without the mean keep all digits. Each is an exact sum
-- (_ranking_exact_sum) of numbers from -1 to 1: the same on any threads and in any order.
--
-- The last three are what Fieller's interval is made of: variances and covariance of the means, relative to the
-- baseline's, of the baseline and of the residual difference - relative * baseline_value.
--
-- paired:  as of _ranking_user_differences
-- means:   name of a table, as _ranking_difference_means gives it
-- test:    as of ranking_compare
-- caller:  the function that an error names
-- Returns: all of means but its scales, and deviation (standard, of the differences), differences (a LIST of those that
--          are not 0, for the randomization test, else NULL), baseline_variance, residual_variance, covariance
-- Example: FROM _ranking_difference_variances('paired', 'means', 't', 'ranking_compare');
CREATE OR REPLACE TEMP MACRO _ranking_difference_variances(paired, means, test, caller) AS TABLE
SELECT
    means.* EXCLUDE (difference_scale, baseline_scale, residual_scale),
    differences,
    CASE WHEN is_constant AND users > 1 THEN 0 ELSE difference_scale * sqrt(squares / nullif(users - 1, 0)) END AS deviation,
    residual_squares * (residual_scale / mean_baseline) ** 2 / users / nullif(users - 1, 0) AS residual_variance,
    baseline_squares * (baseline_scale / mean_baseline) ** 2 / users / nullif(users - 1, 0) AS baseline_variance,
    products * (residual_scale / mean_baseline) * (baseline_scale / mean_baseline) / users / nullif(users - 1, 0)
        AS covariance
FROM query_table(means) AS means
JOIN (
    SELECT
        each.pair,
        each.k,
        each.ranking_segment,
        each.place,
        _ranking_exact_sum(((each.difference - of_all.difference) / difference_scale) ** 2, 80) AS squares,
        _ranking_exact_sum(((each.difference - relative * baseline_value) / residual_scale) ** 2, 80) AS residual_squares,
        _ranking_exact_sum(((baseline_value - mean_baseline) / baseline_scale) ** 2, 80) AS baseline_squares,
        _ranking_exact_sum(
            (each.difference - relative * baseline_value) / residual_scale
                * ((baseline_value - mean_baseline) / baseline_scale),
            80
        ) AS products,
        CASE WHEN test = 'randomization' THEN list(each.difference) FILTER (each.difference <> 0) END AS differences
    FROM _ranking_user_differences(paired, caller) AS each
    JOIN (FROM query_table(means) AS means_of) AS of_all
        ON each.pair = of_all.pair
        AND each.place = of_all.place
        AND each.k IS NOT DISTINCT FROM of_all.k
        AND each.ranking_segment IS NOT DISTINCT FROM of_all.ranking_segment
    GROUP BY each.pair, each.k, each.ranking_segment, each.place
) AS sums
    ON sums.pair = means.pair
    AND sums.place = means.place
    AND sums.k IS NOT DISTINCT FROM means.k
    AND sums.ranking_segment IS NOT DISTINCT FROM means.ranking_segment;
