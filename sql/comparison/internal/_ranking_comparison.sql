-- Internal: the body of ranking_compare and ranking_compare_by_user: pairs of systems, their users' differences, and from
-- these p, intervals and verdicts.
--
-- scores:  name of a table: system, userid, k, ranking_segment (the segment, or NULL), numbers (DOUBLE[]),
--          has_rec (whether the user has a list; NULL if not known); and in one row nothing but compared_measures, as
--          _ranking_compared_measures gives it: value_place is that in numbers
-- others:  as of ranking_compare
-- caller:  the function that an error names
-- Returns: what ranking_compare does, and pair, measure_place and ranking_segment
-- Example: FROM _ranking_comparison('scores', 'als', 0.95, NULL, 'holm', 't', 10000, 0, 'ranking_compare');
CREATE OR REPLACE TEMP MACRO _ranking_comparison
    (scores, baseline, confidence, margin, correction, test, permutations, seed, caller) AS TABLE
WITH _ranking_pairs AS MATERIALIZED (FROM _ranking_system_pairs(scores, baseline, caller)),
_ranking_pair_values AS MATERIALIZED (FROM _ranking_paired_values(scores, '_ranking_pairs')),
_ranking_means AS MATERIALIZED (FROM _ranking_difference_means('_ranking_pair_values', caller)),
_ranking_variances AS (
    SELECT
        *,
        found - users AS users_undefined,
        CASE WHEN users > 1 THEN users - 1 END AS df,
        deviation / sqrt(users) AS standard_error,
        difference / nullif(deviation, 0) AS effect_size
    FROM _ranking_difference_variances('_ranking_pair_values', '_ranking_means', test, caller)
    JOIN (
        SELECT unnest(compared_measures, max_depth := 2), generate_subscripts(compared_measures, 1) AS measure_place
        FROM query_table(scores) AS scores_of
        WHERE compared_measures IS NOT NULL
    ) ON value_place = place AND (only_at IS NULL OR len(list_filter(only_at, lambda one: one IS NOT DISTINCT FROM k)) > 0)
),
_ranking_tests AS (FROM _ranking_p_values('_ranking_variances', margin, correction, test, permutations, seed, caller)),
_ranking_bounds AS (FROM _ranking_intervals('_ranking_tests', (1 - confidence::DECIMAL(20, 19))::DOUBLE, correction))
SELECT
    pair,
    measure_place,
    ranking_segment,
    pairs.baseline,
    pairs.system,
    k,
    measure,
    users,
    users_undefined,
    users_without_rec_baseline,
    users_without_rec_system,
    mean_baseline,
    mean_system,
    difference,
    low,
    high,
    relative,
    relative_low,
    relative_high,
    CASE WHEN higher_is_better IS NOT FALSE THEN n_higher ELSE n_lower END AS wins,
    users - n_higher - n_lower AS ties,
    CASE WHEN higher_is_better IS NOT FALSE THEN n_lower ELSE n_higher END AS losses,
    standard_error,
    effect_size,
    p,
    p_adjusted,
    p_same,
    p_same_adjusted,
    method,
    minimum_detectable_effect,
    _ranking_verdict(p_adjusted, p_same_adjusted, alpha, difference, higher_is_better) AS verdict,
    higher_is_better
FROM (
    SELECT
        *,
        (1 - confidence::DECIMAL(20, 19))::DOUBLE AS alpha,
        max(n_shared) OVER (PARTITION BY pair) = 0 AS is_disjoint
    FROM _ranking_bounds
)
JOIN _ranking_pairs AS pairs USING (pair)
WHERE CASE
    WHEN is_disjoint THEN error(concat(
        caller, ': systems must have users in common, since the test is paired, got none with recommendations of both ',
        _ranking_list_names([pairs.baseline]), ' and ', _ranking_list_names([pairs.system]),
        ': compare what both recommend to the same users'
    ))::BOOLEAN
    ELSE true
END;
