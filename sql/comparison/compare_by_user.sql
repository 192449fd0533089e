-- Compares systems by any table with a row per user: paired differences, confidence intervals and verdicts.
--
-- by_user: Columns: system, userid [, k] [, segment] and numbers, such as clicks.
-- measures: The usual ones are those of ranking.compare.
-- lower_is_better: For example ['latency_ms']. Always lower: first_hit_rank, mae, mse, rmse and logloss. You may also name
--             judged_share.
-- predicted: It has each row of by_user, and more users.
-- Returns:    One row per pair of systems, k, measure and segment, with the columns of ranking.compare, except as
--             follows.
--             `users_without_rec_baseline`, `users_without_rec_system`: NULL without a column n_rec.
--             `verdict`, `wins`: 'higher' or 'lower', and users with a higher value, for columns of
--             ranking.beyond_accuracy_by_user and ranking.overlap_by_user: neither direction is better.
--             `caveats`: also `perhaps_lower_is_better`, for a name like latency_ms, cost, price, rank or error that is
--             not in lower_is_better.
-- Errors:     More than one row per system and user (and k and segment). A row without one in predicted. A value that is
--             NaN or infinite. A k that is a string. Two systems without a common user with recommendations (n_rec); in
--             one of several segments, the verdict is 'unclear' instead.
-- Example:    WITH by_user AS (SELECT system, userid, n_rec, hits FROM ranking.by_user('rec', 'truth', [10]))
--             SELECT system, measure, users, difference, verdict FROM ranking.compare_by_user('by_user');
CREATE OR REPLACE MACRO ranking.compare_by_user(ARGUMENTS) AS TABLE
{% import "tables/internal/reading.jinja" as reading %}
{% import "comparison/internal/comparing.jinja" as comparing %}
{% import "comparison/internal/differences.jinja" as of_users %}
{% import "measures/internal/rules.jinja" as rules %}
{# The values of each system, user, k and segment, from a table with a row per user. `places` are positions among the columns
   that may be compared. #}
{% macro scores(of, table, argument, place) %}
SELECT
    system, k, ranking_segment,
    TRY_CAST(n_rec AS DOUBLE) > 0 AS has_rec,
    COLUMNS(lambda c: lower(c) IN ('userid', 'segment')),
    list_select(
        {% if of.named %}
        [{{ of.named | map("identifier") | join(", ") }}],
        {% else %}
        list_value(*COLUMNS(lambda c: {{ of.is_compared }} OR c = 'ranking_absent')),
        {% endif %}
        (SELECT list_transform(measures, lambda one: one['{{ place }}']) FROM _ranking_chosen)) AS numbers
FROM (
    SELECT * REPLACE (
        {{ "system" | by_bytes }} AS system, {{ "userid" | by_bytes }} AS userid,
        {{ "ranking_segment" | by_bytes }} AS ranking_segment)
    FROM (
        SELECT
            -- least ignores the NULL of ranking_absent, as coalesce does, for any type.
            least(*COLUMNS('(?i)^(system|ranking_absent)$')) AS system,
            least(*COLUMNS('(?i)^(k|ranking_absent)$')) AS k,
            least(*COLUMNS('(?i)^(segment|ranking_absent)$')) AS ranking_segment,
            least(*COLUMNS('(?i)^(n_rec|ranking_absent)$')) AS n_rec,
            COLUMNS(lambda c: lower(c) IN ('userid', 'segment')),
            {% for name in of.named %}
            {{ name | identifier }}::DOUBLE AS {{ name | identifier }}{{ "," if not loop.last }}
            {% else %}
            TRY_CAST(COLUMNS(lambda c: {{ of.is_compared }} OR c = 'ranking_absent') AS DOUBLE)
            {% endfor %}
        FROM (SELECT *, NULL AS ranking_absent FROM query_table({{ table | literal }}))))
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
{% if of.predicted is not none %}
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
