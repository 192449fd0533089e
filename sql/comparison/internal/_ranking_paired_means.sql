-- Internal: means, extremes and counts of every pair of systems.
--
-- matched: as of _ranking_paired
-- caller:        the function that an error names
-- Returns:       pair, k, ranking_segment, place; found (users that either system has), users (with both values),
--                mean_baseline, mean_system, difference (the mean), relative (difference / mean_baseline, NULL where
--                that is no number), above and below (users whose difference is so of 0), same (whether none is further
--                from another than 1e-12); and by which powers of 2 to divide what is left without the mean: spread of
--                differences, ours_spread of values of the baseline, rest_spread of difference - relative * ours
-- Example:       FROM _ranking_paired_means('matched', 'ranking_compare');
CREATE OR REPLACE TEMP MACRO _ranking_paired_means(matched, caller) AS TABLE
SELECT
    * EXCLUDE (lowest, highest, ours_lowest, ours_highest),
    highest - lowest <= 1e-12 AS same,
    _ranking_power_of_2(highest - lowest) AS spread,
    _ranking_power_of_2(ours_highest - ours_lowest) AS ours_spread,
    _ranking_power_of_2(
        greatest(-lowest, highest) + abs(relative) * greatest(-ours_lowest, ours_highest)
    ) AS rest_spread
FROM (
    SELECT
        *,
        CASE
            WHEN NOT isfinite(highest - lowest)
                THEN error(caller || ': every value of a measure must be a finite number, got NaN or infinity')
            WHEN isfinite(difference / nullif(mean_baseline, 0)) THEN difference / mean_baseline
        END AS relative
    FROM (
        SELECT
            pair,
            k,
            ranking_segment,
            place,
            count(*) AS found,
            count(difference) AS users,
            ranking_mean(ours) AS mean_baseline,
            ranking_mean(theirs) AS mean_system,
            ranking_mean(difference) AS difference,
            count(*) FILTER (difference > 0) AS above,
            count(*) FILTER (difference < 0) AS below,
            min(difference) AS lowest,
            max(difference) AS highest,
            min(ours) AS ours_lowest,
            max(ours) AS ours_highest
        FROM _ranking_paired(matched)
        GROUP BY pair, k, ranking_segment, place
    )
);
