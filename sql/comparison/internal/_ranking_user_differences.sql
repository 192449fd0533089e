-- Internal: each user's two values of every measure, and their difference, or an error if a value is not finite.
--
-- paired:  name of a table, as _ranking_paired_values gives it
-- caller:  the function that an error names
-- Returns: pair, k, ranking_segment, place (that of the measure in the lists), baseline_value and system_value (both NULL
--          if either is), difference (system_value - baseline_value; 0 up to 1e-12 of the larger of them and 1),
--          baseline_has_rec, system_has_rec, is_shared (whether the user has a list of both, as far as that is known)
-- Example: FROM _ranking_user_differences('paired', 'ranking_compare');
CREATE OR REPLACE TEMP MACRO _ranking_user_differences(paired, caller) AS TABLE
SELECT
    pair,
    k,
    ranking_segment,
    place,
    CASE WHEN system_value IS NOT NULL THEN baseline_value END AS baseline_value,
    CASE WHEN baseline_value IS NOT NULL THEN system_value END AS system_value,
    CASE
        WHEN abs(system_value - baseline_value) <= 1e-12 * greatest(1, abs(baseline_value), abs(system_value)) THEN 0
        ELSE system_value - baseline_value
    END AS difference,
    baseline_has_rec,
    system_has_rec,
    is_shared
FROM (
    SELECT
        pair,
        k,
        ranking_segment,
        baseline_has_rec,
        system_has_rec,
        baseline_values IS NOT NULL AND system_values IS NOT NULL
            AND coalesce(baseline_has_rec, true) AND coalesce(system_has_rec, true) AS is_shared,
        unnest(range(1, coalesce(len(baseline_values), len(system_values)) + 1)) AS place,
        unnest(baseline_values) AS baseline_value,
        unnest(system_values) AS system_value
    FROM query_table(paired) AS paired_of
)
WHERE CASE
    WHEN (isfinite(baseline_value) AND isfinite(system_value)) IS NOT DISTINCT FROM false
        THEN error(caller || ': every value of a measure must be a finite number, got NaN or infinity')::BOOLEAN
    ELSE true
END;
