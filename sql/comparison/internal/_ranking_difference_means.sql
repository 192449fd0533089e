-- Internal: means, extremes and counts of every pair of systems.
--
-- paired:  as of _ranking_user_differences
-- caller:  the function that an error names
-- Returns: pair, k, ranking_segment, place; found (users that either system has), users (with both values),
--          mean_baseline, mean_system, difference (the mean), relative (difference / mean_baseline, NULL where that is no
--          number), n_higher and n_lower (users whose difference is above or below 0), users_without_rec_baseline and
--          users_without_rec_system (NULL if not known), n_shared (users with lists of both), largest_value (|value|),
--          is_constant (whether all differences are the same, up to 1e-12 of the largest value or 1), is_identical
--          (whether they are all 0 so); and by which powers of 2 to divide what is left without the mean:
--          difference_scale, baseline_scale, and residual_scale, of the residual difference - relative * baseline_value
-- Example: FROM _ranking_difference_means('paired', 'ranking_compare');
CREATE OR REPLACE TEMP MACRO _ranking_difference_means(paired, caller) AS TABLE
SELECT
    * EXCLUDE (lowest, highest, baseline_lowest, baseline_highest, tolerance) REPLACE (
        CASE WHEN is_identical THEN 0 ELSE n_higher END AS n_higher,
        CASE WHEN is_identical THEN 0 ELSE n_lower END AS n_lower
    ),
    highest - lowest <= tolerance AS is_constant,
    _ranking_power_of_2(highest - lowest) AS difference_scale,
    _ranking_power_of_2(baseline_highest - baseline_lowest) AS baseline_scale,
    _ranking_power_of_2(
        greatest(-lowest, highest) + abs(relative) * greatest(-baseline_lowest, baseline_highest)
    ) AS residual_scale
FROM (
    SELECT
        *,
        CASE WHEN isfinite(difference / nullif(mean_baseline, 0)) THEN difference / mean_baseline END AS relative,
        1e-12 * greatest(1, largest_value) AS tolerance,
        greatest(-lowest, highest) <= 1e-12 * greatest(1, largest_value) AS is_identical
    FROM (
        SELECT
            pair,
            k,
            ranking_segment,
            place,
            count(*) AS found,
            count(difference) AS users,
            ranking_mean(baseline_value) AS mean_baseline,
            ranking_mean(system_value) AS mean_system,
            ranking_mean(difference) AS difference,
            count(*) FILTER (difference > 0) AS n_higher,
            count(*) FILTER (difference < 0) AS n_lower,
            min(difference) AS lowest,
            max(difference) AS highest,
            min(baseline_value) AS baseline_lowest,
            max(baseline_value) AS baseline_highest,
            max(greatest(abs(baseline_value), abs(system_value))) AS largest_value,
            CASE WHEN count(baseline_has_rec) > 0 THEN count(*) FILTER (NOT baseline_has_rec) END
                AS users_without_rec_baseline,
            CASE WHEN count(system_has_rec) > 0 THEN count(*) FILTER (NOT system_has_rec) END
                AS users_without_rec_system,
            count(*) FILTER (is_shared) AS n_shared
        FROM _ranking_user_differences(paired, caller)
        GROUP BY pair, k, ranking_segment, place
    )
    WHERE CASE
        WHEN NOT isfinite(highest - lowest)
            THEN error(caller || ': differences of a measure must be finite numbers, got infinity')::BOOLEAN
        ELSE true
    END
);
