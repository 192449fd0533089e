-- Internal: the confidence intervals of the mean difference and of its ratio to the baseline's mean, each alone, and the
-- difference that so many users would show, corrected for the number of comparisons. NULL where nothing varies.
--
-- The ratio's interval is Fieller's: the ratios r for which a t-test does not tell system and r * baseline apart. It is
-- bounded where fieller_denominator, the share of the baseline's squared mean that is no error, is above 0.
--
-- tests:      name of a table, as _ranking_p_values gives it
-- alpha:      1 - confidence
-- correction: as of ranking_compare
-- Returns:    all that, and low, high, relative_low, relative_high, minimum_detectable_effect
-- Example:    FROM _ranking_intervals('tests', 0.05, 'holm');
-- Source:     Fieller (1954)
CREATE OR REPLACE TEMP MACRO _ranking_intervals(tests, alpha, correction) AS TABLE
SELECT
    *,
    difference - quantile * error AS low,
    difference + quantile * error AS high,
    relative - (fieller_shift + fieller_width) / fieller_denominator AS relative_low,
    relative - (fieller_shift - fieller_width) / fieller_denominator AS relative_high,
    (quantile_of_family + quantile_of_power) * error AS minimum_detectable_effect
FROM (
    SELECT *, sqrt(fieller_shift ** 2 + fieller_denominator * quantile ** 2 * residual_variance) AS fieller_width
    FROM (
        SELECT
            *,
            CASE WHEN 1 > quantile ** 2 * baseline_variance AND error > 0 THEN 1 - quantile ** 2 * baseline_variance END
                AS fieller_denominator,
            quantile ** 2 * covariance AS fieller_shift
        FROM (
            SELECT *, quantiles[1] AS quantile, quantiles[2] AS quantile_of_family, quantiles[3] AS quantile_of_power
            FROM (
                SELECT
                    *,
                    nullif(standard_error, 0) AS error,
                    list_transform(
                        [alpha, alpha / CASE WHEN correction = 'none' THEN 1 ELSE greatest(family, 1) END, 0.4],
                        lambda probability: _ranking_t_quantile(probability, df)
                    ) AS quantiles
                FROM query_table(tests) AS tests_of
            )
        )
    )
);
