-- Compares systems user by user: the mean difference of each measure, its confidence interval and a verdict.
--
-- measures: By default ndcg, recall, average_precision, mrr, hit_rate and precision.
-- test: 'randomization' is Fisher's test, exact for up to 20 differences other than 0. It needs the Python package.
-- predicted_truth: The correction is PPI++. The users in truth must be a random sample. Not with 'randomization'.
-- Returns:    One row per pair of systems (at most 20, unless you pass a baseline), k and measure. d is the system's
--             value minus the baseline's, for each user.
--             `users`: users with a value for both systems.
--             `users_undefined`: users without one of the values, excluded from both means.
--             `users_without_rec_baseline`, `users_without_rec_system`: users scored as an empty list.
--             `mean_baseline`, `mean_system`: means of the measure.
--             `difference`, `low`, `high`: mean of d, and its confidence interval, not corrected.
--             `relative`, `relative_low`, `relative_high`: difference / mean_baseline, and Fieller's interval, NULL if
--             unbounded.
--             `wins`, `ties`, `losses`: users with a better, equal or worse value. Differences below 1e-12 (relative)
--             count as ties.
--             `standard_error`, `effect_size`: standard error of difference, and difference / standard deviation of d.
--             `p`, `p_adjusted`: p-value of the test, before and after correction.
--             `p_same`, `p_same_adjusted`: p-value of the equivalence test, before and after correction.
--             `method`: test and correction.
--             `minimum_detectable_effect`: smallest difference detectable with 80% power.
--             `users_needed`: users needed in all for 80% power. NULL if the verdict is not 'unclear', p is NULL or there
--             is no difference.
--             `higher_is_better`: NULL if neither direction is better.
--             `caveats`: codes of reasons to doubt the verdict, separated by commas, or NULL.
--             `verdict`: 'better', 'worse', 'same' or 'unclear'.
-- Caveats:    This function does not run ranking.check.
--             `not_in_rec`, `one_system_only`: 5% of the users or more, as in ranking.check.
--             `users_undefined`: users lack one of the values.
--             `too_few_users`: no verdict and no interval, for fewer than 6 users at a confidence of 0.95.
--             `auc_at_cutoff`: AUC at a cutoff rewards short lists of few hits; use the whole list.
--             `few_differ`: fewer than 5 users differ.
--             `labelled_apart`: the model's grades of labeled users differ from those of others (Welch's t-test, p <
--             0.01).
-- With predicted_truth: `difference` estimates the difference over all users. Counts of users, means, wins, ties and losses
--             describe the labeled users. `effect_size` and `users_needed` are NULL.
--             `users_predicted`: users without human labels.
--             `predicted_weight`: weight of the model's grades (lambda), from 0 to 1.
--             `predicted_difference`: difference by the model's grades alone, over all users.
--             `predicted_bias`, `predicted_bias_low`, `predicted_bias_high`: bias of these differences on labeled users,
--             and its interval.
--             `labelled_standard_error`: standard error without the model's grades.
--             `correlation`: correlation of d by human labels and by the model's grades.
-- Errors:     Fewer than two systems. An unknown baseline. A measure for which neither direction is better. Two systems
--             without a common user. A system without an item in truth. A user in truth who is missing from
--             predicted_truth.
-- Example:    SELECT system, measure, difference, low, high, p_adjusted, verdict
--             FROM ranking.compare('rec', 'truth', ks := [10], baseline := 'popularity', measures := 'ndcg');
CREATE OR REPLACE MACRO ranking.compare(ARGUMENTS) AS TABLE
{% import "tables/internal/cutting.jinja" as cutting %}
{% import "comparison/internal/comparing.jinja" as comparing %}
{% macro scores(of) %}
WITH {{ cutting.measured(of) }}
SELECT
    ranking_system AS system, userid, k, NULL AS ranking_segment, n_rec > 0 AS has_rec,
    list_value({{ of.columns | map(attribute="name") | map("identifier") | join(", ") }}) AS numbers
FROM measured
WHERE has_truth
{%- endmacro %}
WITH _ranking_scores AS MATERIALIZED (
    {{ scores(of) | indent }}
),
{% if of.predicted is not none %}
_ranking_predicted_scores AS MATERIALIZED (
    {{ scores(of.by_predicted) | indent }}
),
{% endif %}
measures AS NOT MATERIALIZED (
    SELECT unnest(
        [
            NULL
            {%- for one in of.columns %}
,
            {
                'measure': {{ one.name | literal }}, 'measure_place': {{ one.place }}, 'higher_is_better': {{ one.is_high }},
                'is_share': {{ one.range.is_share | lower }}
                {%- if of.has_own_cuts %}, 'only_at': {{ one.cuts | value }}::BIGINT[]{% endif %}}
            {%- endfor %}
][2:],
        max_depth := 2)
), {{ comparing.compared(of) }}
SELECT * EXCLUDE (pair, place, ranking_segment)
FROM compared
ORDER BY pair ASC NULLS LAST, k ASC NULLS LAST, place ASC NULLS LAST
