-- True, or an error if an option of a comparison cannot be.
CREATE OR REPLACE TEMP MACRO _ranking_compare_options(confidence, margin, correction, test, permutations, seed, caller) AS
_ranking_no_problem(
    caller,
    coalesce(_ranking_collation_problem(), list_any_value(list_transform(
        [
            ('confidence', confidence::VARCHAR, 'a number above 0 and below 1',
                _ranking_is_number(typeof(confidence)) AND TRY_CAST(confidence AS DOUBLE) > 0
                AND TRY_CAST(confidence AS DOUBLE) < 1),
            ('margin', margin::VARCHAR, 'a number of 0 or more',
                margin IS NULL OR _ranking_is_number(typeof(margin))
                AND isfinite(TRY_CAST(margin AS DOUBLE)) AND TRY_CAST(margin AS DOUBLE) >= 0),
            ('correction', correction::VARCHAR, 'holm|bh|none', correction::VARCHAR IN ('holm', 'bh', 'none')),
            ('test', test::VARCHAR, 't|randomization', test::VARCHAR IN ('t', 'randomization')),
            ('permutations', permutations::VARCHAR, 'an integer from 1 to 10000000',
                _ranking_is_integer(typeof(permutations)) AND TRY_CAST(permutations AS DOUBLE) BETWEEN 1 AND 10000000),
            ('seed', seed::VARCHAR, 'an integer from 0 to 9223372036854775807',
                _ranking_is_integer(typeof(seed)) AND TRY_CAST(seed AS BIGINT) >= 0)],
        lambda one: CASE WHEN one[4] IS NOT TRUE
            THEN concat(one[1], ' must be ', one[3], ', got ', _ranking_list_names([one[2]])) END))));

-- Names as an error lists them, on one line, or NULL if there are none. Used wherever one of a comparison's does.
CREATE OR REPLACE TEMP MACRO _ranking_list_names(names) AS
regexp_replace(
    regexp_replace(
        _ranking_joined(list_transform(names, lambda name: _ranking_cut(name::VARCHAR)), ', '), '\s+', ' ', 'g'),
    '(?s)^(.{157}).{4,}$', '\1...');

-- The body of ranking_compare and ranking_compare_by_user: pairs of systems, their users' differences, and from
-- these p, intervals and verdicts.
CREATE OR REPLACE TEMP MACRO _ranking_comparison
    (scores, predicted, baseline, confidence, margin, correction, test, permutations, seed, caller) AS TABLE
WITH _ranking_pairs AS MATERIALIZED (FROM _ranking_system_pairs(scores, baseline, caller)),
_ranking_pair_values AS MATERIALIZED (FROM _ranking_paired_values(scores, '_ranking_pairs')),
_ranking_means AS MATERIALIZED (FROM _ranking_difference_means('_ranking_pair_values', caller)),
_ranking_variances AS NOT MATERIALIZED (
    SELECT
        *,
        CASE WHEN users > 1 THEN users - 1 END AS df,
        deviation / sqrt(users) AS standard_error,
        difference / nullif(deviation, 0) AS effect_size
    FROM _ranking_difference_variances('_ranking_pair_values', '_ranking_means', test, caller)
),
_ranking_predicted AS NOT MATERIALIZED (
    -- A text, since DuckDB 1.4 plans a CTE that no one reads.
    FROM query(CASE
        WHEN predicted IS NULL THEN 'SELECT NULL AS k'
        ELSE concat(
            'FROM ', _ranking_home(), '_ranking_predicted_variances(''', scores, ''', ''', predicted,
            ''', ''_ranking_pairs'', ''_ranking_means'', ', _ranking_as_text(confidence), ', ', _ranking_as_text(test), ', ''',
            caller, ''')')
    END)
),
_ranking_measured AS (
    SELECT *, found - users AS users_undefined
    FROM query_table(CASE WHEN predicted IS NULL THEN '_ranking_variances' ELSE '_ranking_predicted' END)
    JOIN (
        SELECT unnest(compared_measures, max_depth := 2), generate_subscripts(compared_measures, 1) AS measure_place
        FROM query_table(scores) AS scores_of
        WHERE compared_measures IS NOT NULL
    ) ON value_place = place AND (only_at IS NULL OR len(list_filter(only_at, lambda one: one IS NOT DISTINCT FROM k)) > 0)
),
_ranking_tests AS (FROM _ranking_p_values('_ranking_measured', margin, test, permutations, seed, caller)),
_ranking_corrected_tests AS (FROM _ranking_corrected('_ranking_tests', confidence, correction, margin)),
_ranking_bounds AS (FROM _ranking_intervals('_ranking_corrected_tests'))
SELECT
    pair, measure_place, ranking_segment, pairs.baseline, pairs.system, k, measure, users,
    users_undefined, users_without_rec_baseline, users_without_rec_system, mean_baseline, mean_system,
    low, high, relative, relative_low, relative_high,
    CASE WHEN higher_is_better IS NOT FALSE THEN n_higher ELSE n_lower END AS wins,
    users - n_higher - n_lower AS ties,
    CASE WHEN higher_is_better IS NOT FALSE THEN n_lower ELSE n_higher END AS losses,
    standard_error, effect_size, p, p_adjusted, p_same, p_same_adjusted, method,
    minimum_detectable_effect, users_needed,
    -- Those of predictions are columns only where there are predictions.
    COLUMNS('^(users_predicted|predicted_.*|labelled_standard_error|correlation|higher_is_better)$'),
    _ranking_joined(
        [
            -- These two where ranking_check has them as doubtful: of 5 % of the users.
            CASE WHEN greatest(users_without_rec_baseline, users_without_rec_system) >= 0.05 * found THEN 'not_in_rec' END,
            CASE WHEN coalesce(
                2 * (found - n_shared) - users_without_rec_baseline - users_without_rec_system, found - n_shared) >= 0.05 * found
                THEN 'one_system_only' END,
            CASE WHEN n_higher + n_lower < 5 AND (df IS NULL AND users > 1 OR verdict NOT IN ('same', 'unclear'))
                THEN 'few_differ' END,
            CASE WHEN are_labelled_apart THEN 'labelled_apart' END,
            CASE WHEN caller = 'ranking_compare_by_user' AND higher_is_better AND _ranking_seems_lower_is_better(measure)
                THEN 'perhaps_lower_is_better' END],
        ',') AS caveats,
    -- DuckDB's shell shows the first columns and the last.
    difference, verdict
FROM (
    SELECT
        *,
        _ranking_verdict(p_adjusted, p_same_adjusted, confidence, difference, higher_is_better) AS verdict,
        max(n_shared) OVER (PARTITION BY pair) = 0 AS is_disjoint,
        -- labelled_p is a column only where there are predictions; found is 1 or more.
        least(*COLUMNS('^(found|labelled_p)$')) < 0.01 AS are_labelled_apart
    FROM _ranking_bounds)
JOIN _ranking_pairs AS pairs USING (pair)
WHERE CASE
    WHEN is_disjoint THEN error(concat(
        caller, ': systems must have users in common, since the test is paired, got none with recommendations of both ',
        _ranking_list_names([pairs.baseline]), ' and ', _ranking_list_names([pairs.system]),
        ': compare what both recommend to the same users'))::BOOLEAN
    ELSE true
END;

-- Return true for the name of a column in which lower values are usually better. No measure of the registry has such a name.
CREATE OR REPLACE TEMP MACRO _ranking_seems_lower_is_better(name) AS
regexp_matches(
    lower(name),
    '(^|[_ .-])((latenc|penalt)(y|ies)|(delay|wait|runtime|cost|price|rank|position|error|distance|regret|perplexity'
    || '|complaint|refund|bounce|failure|timeout|rmse|mse|mae|mape|wer|cer)s?|churn|loss|losses|(response|load|wait|run)_?time)'
    || '([_ .-](ns|us|ms|s|sec|secs|seconds|min|minutes|eur|usd|mean|avg|median|max|total|sum|count|rate|share|p?\d+))*$');

-- The pairs of systems to compare.
CREATE OR REPLACE TEMP MACRO _ranking_system_pairs(scores, baseline, caller) AS TABLE
SELECT
    100000 * baseline_place + system_place AS pair, systems[baseline_place] AS baseline,
    systems[system_place] AS system
FROM (
    SELECT
        systems,
        baseline_place,
        unnest(CASE
            WHEN wanted IS NULL THEN range(baseline_place + 1, len(systems) + 1)
            ELSE list_filter(range(1, len(systems) + 1), lambda place: place <> baseline_place)
        END) AS system_place
    FROM (
        SELECT
            systems,
            wanted,
            unnest(CASE
                WHEN systems IS NULL OR len(systems) < 2 THEN error(concat(
                    caller, ': ', source, ' must have two systems or more, got ',
                    coalesce(_ranking_list_names(systems), 'none')))
                WHEN wanted IS NULL AND len(systems) > 20 THEN error(concat(
                    caller, ': baseline must be one of the systems where there are more than 20 (',
                    _ranking_list_names(systems), '), got NULL'))
                WHEN wanted IS NULL THEN range(1, len(systems) + 1)
                WHEN list_contains(systems::VARCHAR[], wanted) THEN [list_position(systems::VARCHAR[], wanted)]
                ELSE error(concat(
                    caller, ': baseline must be a system of ', source, ' (', _ranking_list_names(systems), '), got ',
                    _ranking_list_names([wanted])))
            END) AS baseline_place
        FROM (
            SELECT
                list(DISTINCT system ORDER BY system ASC NULLS LAST) AS systems,
                baseline::VARCHAR AS wanted,
                CASE caller WHEN 'ranking_compare_by_user' THEN 'by_user' ELSE 'rec' END AS source
            FROM query_table(scores) AS scores_of
            WHERE compared_measures IS NULL)));

-- The values of each user, of the baseline and of the system, for every pair of systems.
CREATE OR REPLACE TEMP MACRO _ranking_paired_values(scores, pairs) AS TABLE
SELECT
    coalesce(of_baseline.pair, of_system.pair) AS pair,
    coalesce(of_baseline.k, of_system.k) AS k,
    coalesce(of_baseline.ranking_segment, of_system.ranking_segment) AS ranking_segment,
    of_baseline.numbers AS baseline_values, of_system.numbers AS system_values,
    of_baseline.has_rec AS baseline_has_rec, of_system.has_rec AS system_has_rec
FROM (
    SELECT pair, userid, k, ranking_segment, numbers, has_rec
    FROM query_table(scores) AS scores_of
    JOIN query_table(pairs) AS pairs_of ON scores_of.system IS NOT DISTINCT FROM pairs_of.baseline) AS of_baseline
FULL JOIN (
    SELECT pair, userid, k, ranking_segment, numbers, has_rec
    FROM query_table(scores) AS scores_of
    JOIN query_table(pairs) AS pairs_of ON scores_of.system IS NOT DISTINCT FROM pairs_of.system) AS of_system
    ON of_baseline.pair = of_system.pair
    AND of_baseline.userid = of_system.userid
    AND of_baseline.k IS NOT DISTINCT FROM of_system.k
    AND of_baseline.ranking_segment IS NOT DISTINCT FROM of_system.ranking_segment;

-- Means, extremes and counts of every pair of systems.
--
-- Differences are equal, or 0, up to 1e-12 of the largest value or 1. Scales are the powers of 2 by which to divide what is
-- left without the mean; the residual is difference - relative * baseline_value.
CREATE OR REPLACE TEMP MACRO _ranking_difference_means(paired, caller) AS TABLE
SELECT
    row_number() OVER () AS comparison,  -- one of two systems, k, segment and measure
    * EXCLUDE (lowest, highest, baseline_lowest, baseline_highest, tolerance) REPLACE (
        CASE WHEN is_identical THEN 0 ELSE n_higher END AS n_higher,
        CASE WHEN is_identical THEN 0 ELSE n_lower END AS n_lower),
    highest - lowest <= tolerance AS is_constant,
    _ranking_power_of_2(highest - lowest) AS difference_scale,
    _ranking_power_of_2(baseline_highest - baseline_lowest) AS baseline_scale,
    _ranking_power_of_2(
        greatest(-lowest, highest) + abs(relative) * greatest(-baseline_lowest, baseline_highest)) AS residual_scale
FROM (
    SELECT
        *,
        CASE WHEN isfinite(difference / nullif(mean_baseline, 0)) THEN difference / mean_baseline END AS relative,
        1e-12 * greatest(1, largest_value) AS tolerance,
        greatest(-lowest, highest) <= 1e-12 * greatest(1, largest_value) AS is_identical
    FROM (
        SELECT
            pair, k, ranking_segment, place,
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
        GROUP BY pair, k, ranking_segment, place)
    WHERE CASE
        WHEN NOT isfinite(highest - lowest)
            THEN error(caller || ': differences of a measure must be finite numbers, got infinity')::BOOLEAN
        ELSE true
    END);

-- A power of 2 that is no smaller, by which to divide before an exact sum: what is divided by it loses no
-- digit.
CREATE OR REPLACE TEMP MACRO _ranking_power_of_2(x) AS
CASE WHEN x > 0 THEN 2 ** least(ceil(log2(x)), 1023) ELSE 1::DOUBLE END;

-- The two values of each user in every measure, and their difference, or an error if a value is not finite.
CREATE OR REPLACE TEMP MACRO _ranking_user_differences(paired, caller) AS TABLE
SELECT
    pair, k, ranking_segment, place,
    CASE WHEN system_value IS NOT NULL THEN baseline_value END AS baseline_value,
    CASE WHEN baseline_value IS NOT NULL THEN system_value END AS system_value,
    CASE
        WHEN abs(system_value - baseline_value) <= 1e-12 * greatest(1, abs(baseline_value), abs(system_value)) THEN 0
        ELSE system_value - baseline_value
    END AS difference,
    baseline_has_rec, system_has_rec, is_shared
FROM (
    SELECT
        pair, k, ranking_segment, baseline_has_rec, system_has_rec,
        baseline_values IS NOT NULL AND system_values IS NOT NULL
            AND coalesce(baseline_has_rec, true) AND coalesce(system_has_rec, true) AS is_shared,
        unnest(range(1, coalesce(len(baseline_values), len(system_values)) + 1)) AS place,
        unnest(baseline_values) AS baseline_value,
        unnest(system_values) AS system_value
    FROM query_table(paired) AS paired_of)
WHERE CASE
    WHEN (isfinite(baseline_value) AND isfinite(system_value)) IS NOT DISTINCT FROM false
        THEN error(caller || ': every value of a measure must be a finite number, got NaN or infinity')::BOOLEAN
    ELSE true
END;

-- The variances of the users' differences, of every pair of systems.
--
-- A second look at the users, since only sums of what is left without the mean keep all digits. Each is an exact sum
-- (_ranking_exact_sum) of numbers from -1 to 1: the same on any threads and in any order.
--
-- The last three are what Fieller's interval is made of: variances and covariance of the means, relative to the
-- baseline's, of the baseline and of the residual difference - relative * baseline_value.
CREATE OR REPLACE TEMP MACRO _ranking_difference_variances(paired, means, test, caller) AS TABLE
SELECT
    means.* EXCLUDE (comparison, difference_scale, baseline_scale, residual_scale),
    differences,
    CASE WHEN is_constant AND users > 1 THEN 0 ELSE difference_scale * sqrt(squares / nullif(users - 1, 0)) END AS deviation,
    residual_squares * (residual_scale / mean_baseline) ** 2 / users / nullif(users - 1, 0) AS residual_variance,
    baseline_squares * (baseline_scale / mean_baseline) ** 2 / users / nullif(users - 1, 0) AS baseline_variance,
    products * (residual_scale / mean_baseline) * (baseline_scale / mean_baseline) / users / nullif(users - 1, 0)
        AS covariance
FROM query_table(means) AS means
JOIN (
    SELECT
        comparison,
        _ranking_exact_sum(((each.difference - of_all.difference) / difference_scale) ** 2, 80) AS squares,
        _ranking_exact_sum(((each.difference - relative * baseline_value) / residual_scale) ** 2, 80) AS residual_squares,
        _ranking_exact_sum(((baseline_value - mean_baseline) / baseline_scale) ** 2, 80) AS baseline_squares,
        _ranking_exact_sum(
            (each.difference - relative * baseline_value) / residual_scale
                * ((baseline_value - mean_baseline) / baseline_scale),
            80) AS products,
        CASE WHEN test = 'randomization' THEN list(each.difference) FILTER (each.difference <> 0) END AS differences
    FROM _ranking_user_differences(paired, caller) AS each
    JOIN (FROM query_table(means) AS means_of) AS of_all
        ON each.pair = of_all.pair
        AND each.place = of_all.place
        AND each.k IS NOT DISTINCT FROM of_all.k
        AND each.ranking_segment IS NOT DISTINCT FROM of_all.ranking_segment
    GROUP BY comparison) AS sums USING (comparison);

-- The p-values of the difference test and of the equivalence test (TOST).
--
-- Of differences that are all the same a t-test knows nothing: p is then that of the signs, 2^(1 - users). That they are
-- within the margin is then said by the rule of three: with p_same, so many users without an exception leave a share of
-- 1 - p_same^(1 / users) who may differ, each by 1 at most in a measure from 0 to 1; elsewhere nothing says it.
--
-- The randomization test is made in calls of Python so short that an interrupt is heard between them.
--
-- Source: Schuirmann (1987); Hanley and Lippman-Hand (1983) for the rule of three
CREATE OR REPLACE TEMP MACRO _ranking_p_values(variances, margin, test, permutations, seed, caller) AS TABLE
WITH RECURSIVE _ranking_flips AS (
    SELECT
        *,
        CASE
            WHEN test = 't' OR users < 2 OR n_shared = 0 OR is_identical THEN NULL
            ELSE _ranking_flip_signs(differences, permutations, seed, NULL, caller)
        END AS flips
    FROM query_table(variances) AS variances_of
    UNION ALL
    SELECT * REPLACE (_ranking_flip_signs(differences, permutations, seed, flips, caller) AS flips)
    FROM _ranking_flips
    WHERE flips IS NOT NULL AND flips.p IS NULL)
SELECT
    * EXCLUDE (t_probabilities, flips),
    CASE
        WHEN df IS NULL OR n_shared = 0 THEN NULL
        WHEN is_identical THEN 1
        WHEN test = 'randomization' THEN flips.p
        WHEN is_constant THEN 2::DOUBLE ** (1 - users)
        ELSE t_probabilities[1]
    END AS p,
    CASE
        WHEN margin IS NULL OR df IS NULL OR n_shared = 0 THEN NULL
        WHEN NOT is_constant AND abs(difference) <= margin THEN t_probabilities[2] / 2
        WHEN NOT is_constant THEN 1 - t_probabilities[2] / 2
        WHEN is_share AND largest_value <= 1
            THEN (1 - greatest(0, least(1, margin - abs(difference)))) ** users
    END AS p_same,
    CASE
        WHEN n_shared = 0 THEN 'no user with recommendations of both'
        WHEN users > 1 AND is_identical THEN 'identical for all ' || users || ' users'
        WHEN users > 1 AND test = 't' AND is_constant THEN 'the same difference for all ' || users || ' users'
        WHEN test = 't' THEN test
        WHEN n_higher + n_lower <= 20 THEN 'exact randomization'
        ELSE 'randomization of ' || permutations
    END AS method,
    concat_ws(' ', place, k) AS family_of, NULL AS p_adjusted, NULL AS p_same_adjusted, NULL AS minimum_detectable_effect,
    NULL AS users_needed
FROM (
    SELECT
        *,
        list_transform(
            list_transform(
                [difference, coalesce(margin, 0) - abs(difference)],
                lambda distance: distance / nullif(standard_error, 0)),
            lambda t: _ranking_t_p(t, df)) AS t_probabilities
    FROM _ranking_flips
    WHERE flips IS NULL OR flips.p IS NOT NULL);

-- Go on with Fisher's randomization test for 0.4 seconds, since DuckDB hears an interrupt only between
-- two calls. It is Python's: udfs/ranking_udfs/arrow/randomization.py. Where Python is not (sql/ranking_udfs.sql),
-- sql/comparison/without_python has another macro of this name.
--
-- In a lambda DuckDB looks for the function when it is called, not when the macro is made: a cursor of another
-- transaction, which makes the macros with register(con, temp=False), may not see it yet.
CREATE OR REPLACE TEMP MACRO _ranking_flip_signs(differences, permutations, seed, flips, caller) AS
list_transform(
    [differences],
    lambda _ranking_differences: system.main._ranking_sign_flips(
        _ranking_differences, permutations::INTEGER, seed::BIGINT, flips))[1];

-- Tests with what depends on how many there are of the same family_of: the corrected p, the end of method, the difference
-- that so many users would show, and how many would show the one that was seen, or the margin; and the quantiles of t for the
-- interval of one, for this family and for 80 %. Of a margin that is not known nothing is said.
CREATE OR REPLACE TEMP MACRO _ranking_corrected(tests, confidence, correction, margin) AS TABLE
SELECT * EXCLUDE (n_predicted) REPLACE (
    nullif(standard_error, 0) * (quantiles[2] + quantiles[3]) AS minimum_detectable_effect,
    CASE WHEN p IS NOT NULL AND _ranking_verdict(p_adjusted, p_same_adjusted, confidence, 1, true) = 'unclear'
        AND n_predicted = 0  -- the others would have to be more, too
        THEN TRY_CAST(ceil(users * (
            nullif(standard_error, 0) * (quantiles[2] + quantiles[3])
            / CASE
                WHEN TRY_CAST(margin AS DOUBLE) > 0 THEN TRY_CAST(margin AS DOUBLE)
                WHEN TRY_CAST(margin AS DOUBLE) = 0 OR p_same IS NULL THEN nullif(abs(difference), 0)
            END
        ) ** 2) AS BIGINT) END AS users_needed)
FROM (
    SELECT
        * EXCLUDE (family_of, family, p_place, p_same_place, no_users) REPLACE (
            _ranking_p_adjusted(p, p_place, family, correction) AS p_adjusted,
            _ranking_p_adjusted(p_same, p_same_place, family, correction) AS p_same_adjusted,
            concat(method, ', ', correction, CASE WHEN correction <> 'none' THEN ' of ' || family END) AS method),
        list_transform(
            [
                _ranking_alpha(confidence),
                _ranking_alpha(confidence) / CASE WHEN correction = 'none' THEN 1 ELSE greatest(family, 1) END,
                0.4],
            lambda probability: _ranking_t_quantile(probability, df)) AS quantiles,
        -- users_predicted is a column only where there are predictions.
        greatest(*COLUMNS('^(no_users|(?i:users_predicted))$')) AS n_predicted
    FROM (
        SELECT
            *,
            0 AS no_users,
            count(p) OVER (PARTITION BY family_of) AS family,
            row_number() OVER (PARTITION BY family_of ORDER BY p ASC NULLS LAST) AS p_place,
            row_number() OVER (PARTITION BY family_of ORDER BY p_same ASC NULLS LAST) AS p_same_place
        FROM query_table(tests) AS tests_of));

-- The p-value of one of several comparisons, corrected for their number; a window over family_of.
CREATE OR REPLACE TEMP MACRO _ranking_p_adjusted(p, p_place, family, correction) AS
CASE
    WHEN p IS NULL THEN NULL
    WHEN correction = 'none' THEN p
    WHEN correction = 'holm' THEN max(least(1, (family - p_place + 1) * p)) OVER (
        PARTITION BY family_of, p IS NULL ORDER BY p_place ASC NULLS LAST)
    ELSE min(least(1, p * family / p_place)) OVER (
        PARTITION BY family_of, p IS NULL ORDER BY p_place DESC NULLS LAST)
END;

-- Below which a p counts: 1 - confidence, without the last digits that a DOUBLE would leave.
CREATE OR REPLACE TEMP MACRO _ranking_alpha(confidence) AS
(1 - confidence::DECIMAL(20, 19))::DOUBLE;

-- The confidence intervals of the mean difference and of its ratio to the baseline's mean, each alone. NULL where nothing
-- varies. The interval of a difference between two values from 0 to 1 is cut at -1 and 1.
--
-- The ratio's interval is Fieller's: the ratios r for which a t-test does not tell system and r * baseline apart. It is
-- bounded where fieller_denominator, the share of the baseline's squared mean that is no error, is above 0.
--
-- Source: Fieller (1954)
CREATE OR REPLACE TEMP MACRO _ranking_intervals(tests) AS TABLE
SELECT
    *,
    sqrt(fieller_shift ** 2 + fieller_denominator * quantile ** 2 * residual_variance) AS fieller_width,
    relative - (fieller_shift + fieller_width) / fieller_denominator AS relative_low,
    relative - (fieller_shift - fieller_width) / fieller_denominator AS relative_high,
    CASE WHEN difference - half_width < -most THEN -most ELSE difference - half_width END AS low,
    CASE WHEN difference + half_width > most THEN most ELSE difference + half_width END AS high
FROM (
    SELECT
        * EXCLUDE (quantiles),
        quantiles[1] AS quantile,
        quantile * nullif(standard_error, 0) AS half_width,
        CASE WHEN is_share AND largest_value <= 1 THEN 1 END AS most,
        CASE WHEN 1 > quantile ** 2 * baseline_variance AND standard_error > 0 THEN 1 - quantile ** 2 * baseline_variance END
            AS fieller_denominator,
        quantile ** 2 * covariance AS fieller_shift
    FROM query_table(tests) AS tests_of);

-- The verdict on a system.
CREATE OR REPLACE TEMP MACRO _ranking_verdict(p_adjusted, p_same_adjusted, confidence, difference, higher_is_better) AS
CASE
    WHEN p_same_adjusted < _ranking_alpha(confidence) THEN 'same'
    WHEN p_adjusted >= _ranking_alpha(confidence) OR p_adjusted IS NULL THEN 'unclear'
    WHEN higher_is_better IS NULL THEN CASE WHEN difference > 0 THEN 'higher' ELSE 'lower' END
    WHEN (difference > 0) = higher_is_better THEN 'better'
    ELSE 'worse'
END;

-- True, or an error if a system has more than one row of a user.
CREATE OR REPLACE TEMP MACRO _ranking_has_no_copies(scores, argument) AS
coalesce(
    (
        SELECT error(concat(
            'ranking_compare_by_user: ', argument, ' must have one row of each system, user',
            CASE WHEN k IS NOT NULL THEN ', k' END,
            CASE WHEN ranking_segment IS NOT NULL THEN ', segment' END,
            ', got ', copies, ' of ', _ranking_list_names([system::VARCHAR, userid::VARCHAR])))::BOOLEAN
        FROM (
            SELECT system, userid, k, ranking_segment, count(*) AS copies
            FROM query_table(scores) AS scores_of
            WHERE numbers IS NOT NULL
            GROUP BY system, userid, k, ranking_segment
            HAVING count(*) > 1
            ORDER BY system ASC NULLS LAST, userid ASC NULLS LAST
            LIMIT 1)
    ),
    true);

-- The measures by which systems are compared where none are named, as one text.
CREATE OR REPLACE TEMP MACRO _ranking_default_measures() AS
COMPARED_MEASURES;

-- True for a column to compare by, of a table with a row per user.
CREATE OR REPLACE TEMP MACRO _ranking_is_compared_column(name, measures) AS
CASE
    WHEN measures IS NULL THEN NOT _ranking_is_key(name)
    ELSE list_contains(list_transform(TRY_CAST(measures AS VARCHAR[]), lambda one: lower(trim(one))), lower(name))
END;
