-- The differences and standard errors of comparisons by few labels of people and many of a model: what
-- _ranking_difference_variances gives, of the labelled users, with the difference, its standard error, and all that hangs
-- on these, by both.
--
-- With d the difference of a labelled user by people's grades, f by the model's: difference = weight * mean of f over the
-- other users + mean of d - weight * f over the labelled ones, whose variances add up. The second is divided by n - 3, not by
-- n - 1, since the weight is estimated from the same n users: without it, of 15 labels 6 to 7 % of no difference were one.
--
-- Fewer than 5 labelled users who differ, or none who varies, say nothing: without degrees of freedom there is no p.
--
-- Source: Angelopoulos, Duchi and Zrnic (2023), PPI++; Lavenberg and Welch (1981) for n - 3
CREATE OR REPLACE TEMP MACRO _ranking_predicted_variances(scores, predicted, pairs, means, confidence, test, caller) AS TABLE
WITH _ranking_labelled_scores AS MATERIALIZED (
    SELECT
        people.system, people.userid, people.k, people.ranking_segment, people.has_rec,
        list_concat(people.numbers::DOUBLE[], model.numbers) AS numbers,
        model.numbers IS NULL AS is_missing
    FROM query_table(scores) AS people
    LEFT JOIN query_table(predicted) AS model
        ON _ranking_same_id(people.userid, model.userid)
        AND _ranking_same_id(people.system, model.system)
        AND _ranking_same_id(people.ranking_segment, model.ranking_segment)
        AND people.k IS NOT DISTINCT FROM model.k
    WHERE compared_measures IS NULL
), _ranking_other_scores AS NOT MATERIALIZED (
    SELECT system, userid, k, ranking_segment, NULL::BOOLEAN AS has_rec, numbers
    FROM query_table(predicted) AS model
    ANTI JOIN _ranking_labelled_scores AS people ON _ranking_same_id(people.userid, model.userid)
), _ranking_labelled_pairs AS MATERIALIZED (
    FROM _ranking_paired_values('_ranking_labelled_scores', pairs)
), _ranking_both_differences AS MATERIALIZED (
    SELECT
        pair, k, ranking_segment, place, true AS is_labelled,
        system_values[place] - baseline_values[place] AS d,
        system_values[n_places + place] - baseline_values[n_places + place] AS f
    FROM (
        SELECT
            *,
            -- An integer whatever the setting, as of //, which no macro has.
            (len(coalesce(baseline_values, system_values)) / 2)::BIGINT AS n_places,
            unnest(range(1, n_places + 1)) AS place
        FROM _ranking_labelled_pairs)
    UNION ALL
    SELECT pair, k, ranking_segment, place, false, NULL, system_values[place] - baseline_values[place]
    FROM (
        SELECT *, unnest(range(1, len(coalesce(baseline_values, system_values)) + 1)) AS place
        FROM _ranking_paired_values('_ranking_other_scores', pairs))
), _ranking_difference_moments AS MATERIALIZED (
    SELECT
        of_all.*,
        _ranking_exact_sum(((d - mean_d) / d_scale) ** 2, 80) AS d_squares,
        _ranking_exact_sum((d - mean_d) / d_scale * ((f - labelled_f) / f_scale), 80) AS products,
        _ranking_exact_sum(CASE WHEN is_labelled THEN ((f - labelled_f) / f_scale) ** 2 END, 80) AS labelled_squares,
        _ranking_exact_sum(CASE WHEN NOT is_labelled THEN ((f - other_f) / f_scale) ** 2 END, 80) AS other_squares,
        _ranking_exact_sum(((f - d - bias) / bias_scale) ** 2, 80) AS bias_squares
    FROM _ranking_both_differences AS each
    JOIN (
        SELECT
            pair, k, ranking_segment, place,
            count(d) AS n,
            count(CASE WHEN NOT is_labelled THEN f END) AS n_others,
            count(f - d) AS n_both,
            -- False if a user has no value, since the means of labelled users and of others would each leave some out.
            count(f) = count(*) AND count(d) = count(CASE WHEN is_labelled THEN 1 END) AS are_all_known,
            ranking_mean(d) AS mean_d,
            ranking_mean(f) AS mean_f,
            ranking_mean(CASE WHEN is_labelled THEN f END) AS labelled_f,
            ranking_mean(CASE WHEN NOT is_labelled THEN f END) AS other_f,
            ranking_mean(f - d) AS bias,
            max(f) - min(f) <= 1e-12 * greatest(1, max(f), -min(f)) AS is_f_constant,
            _ranking_power_of_2(max(d) - min(d)) AS d_scale,
            _ranking_power_of_2(max(f) - min(f)) AS f_scale,
            _ranking_power_of_2(max(f - d) - min(f - d)) AS bias_scale
        FROM _ranking_both_differences
        WHERE CASE
            WHEN isfinite(d) IS FALSE OR isfinite(f) IS FALSE
                THEN error(caller || ': every value of a measure must be a finite number, got NaN or infinity')::BOOLEAN
            ELSE true
        END
        GROUP BY pair, k, ranking_segment, place) AS of_all
        ON each.pair = of_all.pair
        AND each.place = of_all.place
        AND each.k IS NOT DISTINCT FROM of_all.k
        AND each.ranking_segment IS NOT DISTINCT FROM of_all.ranking_segment
    GROUP BY ALL
), _ranking_weights AS MATERIALIZED (
    SELECT
        * EXCLUDE (mean_d, d_scale, f_scale, bias_scale, d_squares, products, labelled_squares, other_squares, bias_squares),
        CASE
            WHEN is_f_constant OR NOT are_all_known OR n < 2 OR n_others < 2 THEN 0
            ELSE greatest(0, least(1, products * d_scale / n / (1 + n / n_others) / f_scale / (
                labelled_squares + other_squares + n / (n + n_others) * n_others * ((labelled_f - other_f) / f_scale) ** 2
            ) * (n + n_others - 1)))
        END AS weight,
        f_scale * sqrt(labelled_squares / nullif(n_both - 1, 0) / n_both) AS labelled_f_error,
        coalesce(f_scale * sqrt(other_squares / nullif(n_others - 1, 0) / n_others), 0) AS other_f_error,
        CASE WHEN weight = 0 THEN 0 ELSE weight * other_f END AS shift,
        weight * other_f_error AS shift_error,
        CASE WHEN weight = 0 THEN 1 ELSE (n - 1) / greatest(n - 3, 1) END AS inflation,
        d_scale * sqrt(d_squares / nullif(n - 1, 0) / n) AS labelled_standard_error,
        bias_scale * sqrt(bias_squares / nullif(n_both - 1, 0) / n_both) AS bias_error,
        CASE WHEN are_all_known AND NOT is_f_constant THEN products / nullif(sqrt(d_squares * labelled_squares), 0) END
            AS correlation
    FROM _ranking_difference_moments
), _ranking_adjusted_pairs AS MATERIALIZED (
    SELECT pairs_of.* REPLACE (
        baseline_values[:len(weights)] AS baseline_values,
        list_transform(weights, lambda weight, place: system_values[place] - CASE
            WHEN weight = 0 THEN 0
            ELSE weight * (system_values[len(weights) + place] - baseline_values[len(weights) + place])
        END) AS system_values)
    FROM _ranking_labelled_pairs AS pairs_of
    JOIN (
        SELECT pair, k, ranking_segment, list(weight ORDER BY place ASC NULLS LAST) AS weights
        FROM _ranking_weights
        GROUP BY pair, k, ranking_segment) AS weights_of
        ON pairs_of.pair = weights_of.pair
        AND pairs_of.k IS NOT DISTINCT FROM weights_of.k
        AND pairs_of.ranking_segment IS NOT DISTINCT FROM weights_of.ranking_segment
), _ranking_adjusted_means AS MATERIALIZED (
    FROM _ranking_difference_means('_ranking_adjusted_pairs', caller)
)
SELECT
    * EXCLUDE (added_variance, shift_ratio, is_unsure, bias_error, labelled_standard_error, correlation) REPLACE (
        CASE WHEN isfinite(difference / nullif(mean_baseline, 0)) THEN difference / mean_baseline END AS relative,
        -- Fieller's: the residual of adjusted differences is without shift_ratio * baseline.
        residual_variance - 2 * shift_ratio * covariance + shift_ratio ** 2 * baseline_variance
            + added_variance / mean_baseline ** 2 AS residual_variance,
        covariance - shift_ratio * baseline_variance AS covariance,
        CASE WHEN NOT is_unsure THEN df END AS df,
        CASE WHEN NOT is_unsure THEN standard_error END AS standard_error),
    predicted_bias - bias_quantile * nullif(bias_error, 0) AS predicted_bias_low,
    predicted_bias + bias_quantile * nullif(bias_error, 0) AS predicted_bias_high,
    labelled_standard_error, correlation
FROM (
    SELECT
        means_of.* EXCLUDE (comparison, difference_scale, baseline_scale, residual_scale) REPLACE (
            adjusted.difference + shift AS difference,
            means_of.is_constant AND n_others = 0 AS is_constant,
            means_of.is_identical AND n_others = 0 AS is_identical),
        adjusted.residual_variance, adjusted.baseline_variance, adjusted.covariance,
        NULL::DOUBLE[] AS differences,
        CASE WHEN means_of.users > 1 THEN means_of.users - 1 END AS df,
        shift_error ** 2 + (inflation - 1) * (adjusted.deviation / sqrt(means_of.users)) ** 2 AS added_variance,
        sqrt((adjusted.deviation / sqrt(means_of.users)) ** 2 + added_variance) AS standard_error,
        CASE WHEN n_others = 0 THEN adjusted.difference / nullif(adjusted.deviation, 0) END AS effect_size,
        shift / nullif(means_of.mean_baseline, 0) AS shift_ratio,
        n_others > 0 AND (adjusted.is_constant OR means_of.n_higher + means_of.n_lower < 5) AS is_unsure,
        CASE WHEN labelled_f_error + other_f_error > 0 AND n_others > 1
            THEN _ranking_t_p((labelled_f - other_f) / sqrt(labelled_f_error ** 2 + other_f_error ** 2), df) END AS labelled_p,
        bias_error,
        _ranking_t_quantile(_ranking_alpha(confidence), CASE WHEN n_both > 1 THEN n_both - 1 END) AS bias_quantile,
        n_others AS users_predicted, weight AS predicted_weight, mean_f AS predicted_difference, bias AS predicted_bias,
        labelled_standard_error, correlation
    FROM query_table(means) AS means_of
    JOIN _ranking_difference_variances('_ranking_adjusted_pairs', '_ranking_adjusted_means', 't', caller) AS adjusted
        ON means_of.pair = adjusted.pair
        AND means_of.place = adjusted.place
        AND means_of.k IS NOT DISTINCT FROM adjusted.k
        AND means_of.ranking_segment IS NOT DISTINCT FROM adjusted.ranking_segment
    JOIN _ranking_weights AS weights
        ON means_of.pair = weights.pair
        AND means_of.place = weights.place
        AND means_of.k IS NOT DISTINCT FROM weights.k
        AND means_of.ranking_segment IS NOT DISTINCT FROM weights.ranking_segment)
WHERE _ranking_no_problem(caller, CASE
    WHEN test <> 't' THEN concat(
        'test must be t with ', CASE caller WHEN 'ranking_compare' THEN 'predicted_truth' ELSE 'predicted' END, ', got ', test)
END) AND _ranking_has_no_copies(predicted, 'predicted') AND coalesce(
    (
        SELECT error(concat(
            caller, CASE caller
                WHEN 'ranking_compare' THEN ': every user of truth must be in predicted_truth'
                ELSE ': every row of by_user must have one in predicted, of its system, user, k and segment'
            END, ', got ', count(DISTINCT userid), ' users without, for example ', _ranking_list_names([min(userid)]),
            ': let the model grade them too'))::BOOLEAN
        FROM _ranking_labelled_scores
        WHERE is_missing
        HAVING count(*) > 0
    ),
    true);
