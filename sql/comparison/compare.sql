-- Whether one system is better than another: the differences of its users' measures to a baseline's, how large they are
-- and how sure.
--
-- rec, truth:   tables with system, userid, itemid, score and userid, itemid [, rel], as for ranking.judged
-- ks:           LIST of cutoffs; NULL among them means the whole list; may be left out where each of the measures names
--               its own
-- baseline:     name of the system to compare each other one with; NULL for every pair of at most 20 systems
-- measures:     as for ranking.by_user, each at its own cutoffs alone; by default ndcg, recall, average_precision, mrr,
--               hit_rate and precision
-- confidence:   of the intervals, and the least for a verdict: p must be below 1 - confidence
-- margin:       how much of a difference does not matter, for the verdict 'same'; NULL: there is none
-- correction:   'holm', 'bh' (Benjamini and Hochberg) or 'none': of both p, of minimum_detectable_effect and of users_needed,
--               for the number of systems (and segments) that are compared by one measure at one k; each interval stands alone
-- test:         't' (Student's, paired) or 'randomization' (Fisher's: all signs of up to 20 differences that are not 0, of
--               more so many permutations, from this seed)
-- user_col, ..., descending, JUDGING: as for ranking.judged
-- ties:         'item', 'trec' or 'expected', as for ranking.by_user
-- predicted_truth: a table as truth with grades by a model (an LLM, clicks): of all users of truth, who are the labelled ones,
--               and of more. The difference is then that of all, by the model's grades corrected by those of truth. The
--               labelled users must be drawn at random of all. Not with the randomization test
-- Returns:      baseline, system, k, measure, users (with a value of both), users_undefined (of one or none),
--               users_without_rec_baseline and users_without_rec_system (who count with an empty list), mean_baseline,
--               mean_system, low and high (the confidence interval of difference), relative (difference / mean_baseline),
--               relative_low and relative_high (Fieller's interval; NULL where that has no bounds), wins, ties (|d| <= 1e-12 of
--               the values or 1, which counts as 0) and losses (of system), standard_error, effect_size (difference / standard
--               deviation of d), p, p_adjusted, p_same (that the difference is as large as the margin), p_same_adjusted,
--               method, minimum_detectable_effect (the difference that so many users would show in 80 of 100 cases),
--               users_needed (how many would so show the difference that was seen, or with a margin one as large as that, if it
--               is the true one; four times as many for half of it; NULL where the verdict is not 'unclear', p is NULL, or
--               there is no difference to show), higher_is_better (NULL where neither end is), caveats (what the row itself
--               tells against the verdict, as codes with commas: not_in_rec and one_system_only, of 5 % of the users or more,
--               as ranking.check counts them;
--               few_differ, of fewer than 5 users; labelled_apart, where labelled users differ from the others by the
--               model's grades, p of Welch's t < 0.01; NULL for none), difference (of the means, of d = system - baseline),
--               verdict: 'better', 'worse', 'same' or 'unclear'. With predicted_truth also users_predicted (who are not
--               labelled), predicted_weight (lambda: how much the model's grades count, 0 to 1), predicted_difference (by the
--               model's grades alone, of all users), predicted_bias (by how much these are too high, of labelled users) with
--               predicted_bias_low and predicted_bias_high, labelled_standard_error (without the model's grades) and
--               correlation (of the differences by both grades); users, users_*, means, wins, ties and losses are of the
--               labelled users, effect_size and users_needed are NULL
-- Errors:       as for ranking.evaluate; rec without two systems; a baseline that is none of them; a measure of which
--               neither end is better; an option with a value that is not allowed; two systems that recommend to
--               no user in common; a system without an item of truth; a user of truth who is not in predicted_truth
-- Source:       Smucker, Allan and Carterette (2007); Sakai (2014); Holm (1979); Schuirmann (1987) for the margin;
--               Angelopoulos, Duchi and Zrnic (2023, PPI++) for predicted_truth
-- Example:      SELECT system, measure, difference, low, high, p_adjusted, verdict
--               FROM ranking.compare('rec', 'truth', [10], baseline := 'popularity', measures := ['ndcg', 'recall']);
CREATE OR REPLACE MACRO ranking.compare(
    rec, truth, ks := NULL,
    baseline := NULL, measures := NULL, confidence := 0.95, margin := NULL, correction := 'holm', test := 't',
    permutations := 10000, seed := 0,
    COLUMN_ARGUMENTS, JUDGING_ARGUMENTS, ties := 'item', predicted_truth := NULL) AS TABLE
{% import "tables/internal/judging.jinja" as judging %}
{% import "tables/internal/cutting.jinja" as cutting %}
{% import "comparison/internal/comparing.jinja" as comparing %}
{% macro scores(of) %}
{% if of.is_part %}
WITH measured AS NOT MATERIALIZED (FROM _ranking_values)  -- that partitions sent
{% else %}
WITH {{ judging.judged(of) }}, {{ cutting.measured(of) }}
{% endif %}
SELECT
    ranking_system AS system, userid, k, NULL AS ranking_segment, n_rec > 0 AS has_rec,
    list_value({{ of.measure_names }}) AS numbers
FROM measured
WHERE has_truth
{%- endmacro %}
WITH _ranking_scores AS MATERIALIZED (
    {{ scores(of) | indent }}
),
{% if of.is_predicted %}
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
                'is_share': {{ one.is_probability }}
                {%- if of.has_own_cuts %}, 'only_at': {{ one.only_at }}::BIGINT[]{% endif %}}
            {%- endfor %}
][2:],
        max_depth := 2)
), {{ comparing.compared(of) }}
SELECT * EXCLUDE (pair, place, ranking_segment)
FROM compared
ORDER BY pair ASC NULLS LAST, k ASC NULLS LAST, place ASC NULLS LAST
