-- The two errors of each threshold for a list's best score: users with an answer refused, users without one answered.
--
-- rec, truth, user_col, ..., descending, min_grade: as for ranking.judged
-- users:      as for ranking.judged: users who have no row in truth are without an answer; by default only those whose rows
--             are not relevant or have no item
-- confidence: of the intervals
-- Returns:    a row per system and threshold: the best scores of lists, each once. Of more than 100 they are 100 at equal
--             steps in order, the first with the fewest errors, and the first with the smallest sum of both shares. Columns:
--             [system,] threshold, users_with_relevant, users_without_relevant, wrongly_refused (of the former: best score below
--             threshold, or no list), wrongly_answered (of the latter: best score from threshold on), of both the share with
--             Wilson's interval: refused_share, refused_low, refused_high, answered_share, answered_low, answered_high; and for
--             all thresholds alike auc (the probability that a user with an answer has a better best score than one without,
--             ties half, no score below all), auc_low and auc_high (DeLong's on the logit; NULL with fewer than 5 users of
--             either kind; where no user differs from the others, to 1 - alpha^(1 / users of the rarer kind) from auc).
--             Shares are NULL where there is no user of their kind, auc where one kind is missing
-- Errors:     as for ranking.judged; a confidence that is not above 0 and below 1
-- Source:     DeLong, DeLong and Clarke-Pearson (1988), Sun and Xu (2014); Wilson (1927)
-- Example:    SELECT system, threshold, wrongly_refused, wrongly_answered, round(auc, 3) AS auc
--             FROM ranking.abstention('rec', 'truth') WHERE wrongly_refused <= 2 ORDER BY ALL DESC LIMIT 2;
--
-- ranking.check says whether the scores look like distances, which need descending := false here.
CREATE OR REPLACE MACRO ranking.abstention(
    rec, truth, users := NULL, COLUMN_ARGUMENTS, min_grade := NULL, confidence := 0.95) AS TABLE
{% import "tables/internal/judging.jinja" as judging %}
{% import "tables/internal/lists.jinja" as lists %}
{% import "tables/internal/reading.jinja" as reading %}
{% import "comparison/internal/student_t.jinja" as student_t %}
{# An end of the interval of an area under the curve: on the logit, or `widest` away where no user differs from the others. #}
{% macro auc_end(sign) %}
CASE
            WHEN widest IS NULL THEN NULL  -- of which greatest and least take no notice
            WHEN variance = 0 THEN greatest(0, least(1, auc + ({{ sign }}widest)))
            ELSE 1 / (1 + (1 / auc - 1) * exp(-({{ sign }}quantile) * sqrt(variance) / (auc * (1 - auc))))
        END
{%- endmacro %}
WITH {{ reading.tables(of) }}, {{ lists.truth_lists(of) }}, scored AS NOT MATERIALIZED (
    SELECT
        {{ of.keys }}, best AS threshold,
        count(*) FILTER (n_truth > 0) AS n_with, count(*) FILTER (n_truth = 0) AS n_without
    FROM (
        SELECT _ranking_systems.*, counts.best, {{ judging.n_relevant(of) }} AS n_truth
        FROM truth_lists
        LEFT JOIN _ranking_systems ON true
        LEFT JOIN (
            {{ lists.counts(of) | indent(12) }}) AS counts
            ON {{ reading.same(of, "counts.userid", "truth_lists.userid") }}
            AND counts.ranking_system IS NOT DISTINCT FROM _ranking_systems.ranking_system
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
        -- For each user with an answer twice the users without one who are below, ties half; and the other way round.
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
        -- Of integers, so that nothing cancels, and threads change nothing.
        ((n * squares - twice_above * twice_above)::DOUBLE / (n - 1)
            + (m * squares_without - twice_above * twice_above)::DOUBLE / (m - 1)) / (2 * n * m) ** 2 AS variance
    FROM errors
    CROSS JOIN (
        SELECT {{ of.alpha }} AS alpha, {{ student_t.quantile(of.t, of.alpha, "1e8") }} AS quantile)
), intervals AS NOT MATERIALIZED (
    SELECT
        {{ of.keys }}, n_thresholds, place, threshold,
        n::BIGINT AS users_with_relevant, m::BIGINT AS users_without_relevant,
        n_refused::BIGINT AS wrongly_refused, n_answered::BIGINT AS wrongly_answered,
        -- Of a share of nobody, NULL; 0 and 1 are ends of their intervals, whatever the roundings.
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
-- Of more than 100 thresholds those next to 100 equal steps, the first and the last among them, and the two best.
QUALIFY n_thresholds <= 100
    OR divide((place - 1) * 99 + n_thresholds - 2, n_thresholds - 1) * (n_thresholds - 1) < place * 99
    OR row_number() OVER (
        PARTITION BY ranking_system ORDER BY wrongly_refused + wrongly_answered ASC NULLS LAST, place ASC NULLS LAST) = 1
    OR row_number() OVER (
        PARTITION BY ranking_system
        ORDER BY coalesce(refused_share, 0) + coalesce(answered_share, 0) ASC NULLS LAST, place ASC NULLS LAST) = 1
ORDER BY ranking_system ASC NULLS LAST, place ASC NULLS LAST
