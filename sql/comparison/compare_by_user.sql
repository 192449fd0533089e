-- Whether one system is better than another, from any table with a row per user: paired differences and their confidence.
--
-- by_user:   table with system, userid [, k] [, segment] and columns of numbers, as query_table takes it: what
--            ranking.by_user gives, or numbers of any other origin (clicks, revenue)
-- measures:  LIST of its columns; by default the same as of ranking.compare, or where there is none of these every column
--            of numbers; higher counts as better in all but first_hit_rank, mae, mse, rmse, logloss and lower_is_better.
--            Of the columns of ranking.beyond_accuracy_by_user and ranking.overlap_by_user neither is: the verdicts are
--            'higher' and 'lower', and wins the users whose value is higher
-- others:    as of ranking.compare
-- lower_is_better: LIST of columns of which lower is better, as ['latency_ms']; it may name judged_share too, of which neither
--            end is better by itself. A column that it does not name has the caveat perhaps_lower_is_better if its name
--            usually means that: latency_ms, cost, price, rank, error
-- predicted: a table as by_user, by the grades of a model, as predicted_truth of ranking.compare: with a row for each of by_user
--            and rows of users who are not in it
-- Returns:   what ranking.compare does, with the segment if there is such a column; users_without_rec_* are NULL if there
--            is no column n_rec
-- Errors:    as of ranking.compare; a system, user (k, segment) with more than one row, or with one in by_user and none in
--            predicted; NaN or an infinite value; k that is text; two systems without a user in common, with recommendations
--            (n_rec) of both (in one segment of several: unclear)
-- Example:   WITH by_user AS (SELECT system, userid, n_rec, hits FROM ranking.by_user('rec', 'truth', [10]))
--            SELECT system, measure, users, difference, verdict
--            FROM ranking.compare_by_user('by_user', baseline := 'popularity', measures := ['hits']);
CREATE OR REPLACE MACRO ranking.compare_by_user(
    by_user, baseline := NULL, measures := NULL, confidence := 0.95, margin := NULL,
    correction := 'holm', test := 't', permutations := 10000, seed := 0, lower_is_better := NULL, predicted := NULL) AS TABLE
{% import "tables/internal/reading.jinja" as reading %}
{% import "comparison/internal/comparing.jinja" as comparing %}
{% import "comparison/internal/differences.jinja" as of_users %}
{% import "measures/internal/rules.jinja" as rules %}
{# The values of each system, user, k and segment, from a table with a row per user: of all columns that may be compared those
   at these places among them. #}
{% macro scores(of, table, argument, place) %}
SELECT
    system, k, ranking_segment,
    TRY_CAST(n_rec AS DOUBLE) > 0 AS has_rec,
    COLUMNS(lambda c: lower(c) IN ('userid', 'segment')),
    list_select(
        list_value(*COLUMNS(lambda c: {{ of.is_compared }} OR c = 'ranking_absent')),
        (SELECT list_transform(measures, lambda one: one['{{ place }}']) FROM _ranking_chosen)) AS numbers
FROM (
    SELECT
        -- least leaves out the NULL of ranking_absent, as coalesce does, of any type.
        least(*COLUMNS('(?i)^(system|ranking_absent)$')) AS system,
        least(*COLUMNS('(?i)^(k|ranking_absent)$')) AS k,
        least(*COLUMNS('(?i)^(segment|ranking_absent)$')) AS ranking_segment,
        least(*COLUMNS('(?i)^(n_rec|ranking_absent)$')) AS n_rec,
        COLUMNS(lambda c: lower(c) IN ('userid', 'segment')),
        TRY_CAST(COLUMNS(lambda c: {{ of.is_compared }} OR c = 'ranking_absent') AS DOUBLE)
    FROM (SELECT *, NULL AS ranking_absent FROM query_table({{ table | literal }})))
WHERE userid IS NOT NULL AND CASE
    WHEN regexp_full_match(typeof(k), 'U?((TINY|SMALL|BIG|HUGE)INT|INTEGER)|FLOAT|DOUBLE|"NULL"|DECIMAL\(.*') THEN true
    ELSE error(concat(
        {{ of.caller | literal }},
        ': k{{ " of predicted" if argument == "predicted" }} must be a column of integers (NULL for the whole list), got ',
        {{ rules.cut("typeof(k)") }}))::BOOLEAN
END
{%- endmacro %}
WITH _ranking_chosen AS MATERIALIZED (
    SELECT CASE
        WHEN found['problem'] IS NOT NULL THEN error({{ of.caller | literal }} || ': ' || found['problem'])
        WHEN {{ reading.is_wrong_collation() }} THEN {{ reading.collation_error(of) | indent(8) }}
        ELSE found['measures']
    END AS measures
    FROM (SELECT {{ of.chosen }} AS found)
), _ranking_scores AS MATERIALIZED (
    {{ scores(of, of.by_user, "by_user", "value_place") | indent }}
),
{% if of.is_predicted %}
_ranking_predicted_scores AS MATERIALIZED (
    {{ scores(of, of.predicted, "predicted", "predicted_place") | indent }}
),
{% endif %}
measures AS NOT MATERIALIZED (
    SELECT unnest(measures, max_depth := 2), generate_subscripts(measures, 1) AS measure_place
    FROM _ranking_chosen
), {{ comparing.compared(of) }}
SELECT
    compared.baseline, compared.system, compared.k, compared.measure,
    segments.* EXCLUDE (ranking_segment),
    compared.* EXCLUDE (baseline, system, k, measure, pair, place, ranking_segment)
FROM compared
JOIN (
    SELECT DISTINCT COLUMNS(lambda c: lower(c) IN ('segment', 'ranking_segment'))
    FROM _ranking_scores) AS segments
    ON compared.ranking_segment IS NOT DISTINCT FROM segments.ranking_segment
WHERE {{ of_users.has_no_copies(of, "_ranking_scores", "by_user") | indent }}
ORDER BY
    compared.pair ASC NULLS LAST, compared.k ASC NULLS LAST, compared.place ASC NULLS LAST,
    compared.ranking_segment ASC NULLS LAST
