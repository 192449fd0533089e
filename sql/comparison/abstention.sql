-- Computes the error rates of each score threshold for abstention: answerable users refused, unanswerable users answered.
--
-- truth: Users without a relevant item are unanswerable. Users in neither truth nor `users` are not counted.
-- Returns:    One row per system and threshold: the best score of each list. If there are more than 100, the result has
--             100 at equal steps, and the two with the fewest errors and the smallest sum of error rates.
--             `users_with_relevant`, `users_without_relevant`: answerable and unanswerable users.
--             `wrongly_refused`: answerable users with a best score below threshold, or without a list.
--             `wrongly_answered`: unanswerable users with a best score of at least threshold.
--             `refused_share`, `answered_share`: these two as shares, NULL without such users.
--             `refused_low`, `refused_high`, `answered_low`, `answered_high`: Wilson's intervals.
--             `auc`: probability that an answerable user has a better best score than an unanswerable one, in each row
--             the same; ties count half. NULL without users of both kinds.
--             `auc_low`, `auc_high`: DeLong's interval on the logit scale, NULL for fewer than 5 users of either kind.
-- Source:     DeLong, DeLong and Clarke-Pearson (1988). Sun and Xu (2014). Wilson (1927).
-- Example:    SELECT system, threshold, wrongly_refused, wrongly_answered, round(auc, 3) AS auc
--             FROM ranking.abstention('rec', 'truth') WHERE wrongly_refused = 2 ORDER BY ALL DESC LIMIT 1;
--
-- With `descending := false`, the best score is the lowest, and a list is refused above the threshold. A list with NULL
-- and NaN scores only counts as none. A system without scores has one row with threshold NULL.
CREATE OR REPLACE MACRO ranking.abstention(ARGUMENTS) AS TABLE
{% import "tables/internal/judging.jinja" as judging %}
{% import "tables/internal/lists.jinja" as lists %}
{% import "tables/internal/reading.jinja" as reading %}
{% import "tables/internal/student_t.jinja" as student_t %}
{# An end of the interval of an AUC: on the logit scale, or at the distance `widest` if no user differs from the others. #}
{% macro auc_end(sign) %}
CASE
            WHEN widest IS NULL THEN NULL  -- greatest and least would ignore it
            WHEN variance = 0 THEN greatest(0, least(1, auc + ({{ sign }}widest)))
            ELSE 1 / (1 + (1 / auc - 1) * exp(-({{ sign }}quantile) * sqrt(variance) / (auc * (1 - auc))))
        END
{%- endmacro %}
WITH {{ reading.tables(of) }}, {{ lists.truth_lists(of) }}, scored AS NOT MATERIALIZED (
    SELECT
        {{ of.keys }}, best AS threshold,
        count(*) FILTER (n_truth > 0) AS n_with, count(*) FILTER (n_truth = 0) AS n_without
    FROM (
        SELECT _ranking_systems.*, bests.best, {{ judging.n_relevant(of) }} AS n_truth
        FROM truth_lists
        LEFT JOIN _ranking_systems ON true
        LEFT JOIN (
            SELECT userid, ranking_system, {{ of.best }}(score) AS best FROM _ranking_rec GROUP BY ALL) AS bests
            ON {{ reading.same(of, "bests.userid", "truth_lists.userid") }}
            AND bests.ranking_system IS NOT DISTINCT FROM _ranking_systems.ranking_system
        WHERE {{ reading.is_right() }})
    GROUP BY ALL
), below AS NOT MATERIALIZED (
    SELECT
        *,
        sum(n_with) OVER per_system AS n,
        sum(n_without) OVER per_system AS m,
        sum(n_with) OVER up_to AS n_below,
        sum(n_without) OVER up_to AS m_below,
        count(threshold) OVER per_system AS n_thresholds,
        count(threshold) OVER up_to AS place
    FROM scored
    WINDOW per_system AS (PARTITION BY ranking_system),
        {% if of.order == "DESC" %}
        up_to AS (PARTITION BY ranking_system ORDER BY threshold ASC NULLS FIRST)
        {% else %}
        up_to AS (PARTITION BY ranking_system ORDER BY threshold DESC NULLS FIRST)
        {% endif %}
), errors AS NOT MATERIALIZED (
    SELECT
        *,
        CASE WHEN threshold IS NULL THEN n ELSE n_below - n_with END AS n_refused,
        CASE WHEN threshold IS NULL THEN 0 ELSE m - m_below + n_without END AS n_answered,
        -- Twice the number of unanswerable users below each answerable one, ties counting half; then the reverse.
        sum(n_with * (2 * m_below - n_without)) OVER per_system AS twice_above,
        sum(n_with * (2 * m_below - n_without) * (2 * m_below - n_without)) OVER per_system AS squares,
        sum(n_without * (2 * (n - n_below) + n_with) * (2 * (n - n_below) + n_with)) OVER per_system AS squares_without
    FROM below
    WINDOW per_system AS (PARTITION BY ranking_system)
), shares AS NOT MATERIALIZED (
    SELECT
        *,
        n_refused::DOUBLE / nullif(n, 0) AS refused_share,
        n_answered::DOUBLE / nullif(m, 0) AS answered_share,
        {{ student_t.wilson("refused_share", "n", "quantile") | indent(8) }} AS refused,
        {{ student_t.wilson("answered_share", "m", "quantile") | indent(8) }} AS answered,
        twice_above::DOUBLE / nullif(2 * n * m, 0) AS auc,
        CASE WHEN least(n, m) >= 5 THEN 1 - alpha ** (1::DOUBLE / least(n, m)) END AS widest,
        -- Computed from integers, so that no digits cancel and threads do not change the result.
        ((n * squares - twice_above * twice_above)::DOUBLE / (n - 1)
            + (m * squares_without - twice_above * twice_above)::DOUBLE / (m - 1)) / (2 * n * m) ** 2 AS variance
    FROM errors
    CROSS JOIN (
        SELECT {{ of.alpha }} AS alpha, {{ student_t.quantile(of.is_portable, of.alpha, "1e8") }} AS quantile)
), intervals AS NOT MATERIALIZED (
    SELECT
        {{ of.keys }}, n_thresholds, place, threshold,
        n::BIGINT AS users_with_relevant, m::BIGINT AS users_without_relevant,
        n_refused::BIGINT AS wrongly_refused, n_answered::BIGINT AS wrongly_answered,
        -- A share of no users is NULL. Rounding must not keep an interval from reaching 0 and 1.
        refused_share,
        CASE WHEN n > 0 THEN greatest(0, least(refused_share, refused['middle'] - refused['half'])) END AS refused_low,
        CASE WHEN n > 0 THEN least(1, greatest(refused_share, refused['middle'] + refused['half'])) END AS refused_high,
        answered_share,
        CASE WHEN m > 0 THEN greatest(0, least(answered_share, answered['middle'] - answered['half'])) END AS answered_low,
        CASE WHEN m > 0 THEN least(1, greatest(answered_share, answered['middle'] + answered['half'])) END AS answered_high,
        auc, {{ auc_end("-") }} AS auc_low, {{ auc_end("") }} AS auc_high
    FROM shares
)
SELECT {{ of.system_first }}* EXCLUDE (ranking_system, n_thresholds, place)
FROM intervals
WHERE threshold IS NOT NULL OR n_thresholds = 0
-- Keep at most 100 thresholds at equal steps, including the first and the last, and the two best ones.
QUALIFY n_thresholds <= 100
    OR divide((place - 1) * 99 + n_thresholds - 2, n_thresholds - 1) * (n_thresholds - 1) < place * 99
    OR row_number() OVER (
        PARTITION BY ranking_system ORDER BY wrongly_refused + wrongly_answered ASC NULLS LAST, place ASC NULLS LAST) = 1
    OR row_number() OVER (
        PARTITION BY ranking_system
        ORDER BY coalesce(refused_share, 0) + coalesce(answered_share, 0) ASC NULLS LAST, place ASC NULLS LAST) = 1
ORDER BY ranking_system ASC NULLS LAST, place ASC NULLS LAST
