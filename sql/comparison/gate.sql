-- Corrects the p-values of a comparison over all of its rows, for use as a CI gate.
--
-- With Holm's correction, the probability of any false 'better' or 'worse' is at most 1 - confidence over all rows. Rows
-- of all users and rows of segments are two families: conditions on both have an error rate of up to 2 * (1 -
-- confidence).
--
-- Run ranking.check in the same pipeline: the rows do not show errors in the data, such as leaked truth.
--
-- comparison: Pass all systems, segments, measures and cutoffs of the gate. Without a column higher_is_better, the
--             direction follows from the measure's name. Rows without a segment, or with the segment '(all)', describe
--             all users.
-- margin: Pass the same margin again, or users_needed is NULL.
-- Returns:    The rows, with new p_adjusted, p_same_adjusted, method, minimum_detectable_effect, users_needed and verdict.
-- Errors:     A table without rows. A row with k = 0.
-- Source:     Holm (1979)
-- Example:    WITH compared AS (FROM ranking.compare('rec', 'truth', ks := [10], measures := ['ndcg', 'mrr']))
--             SELECT measure, p_adjusted, method, verdict FROM ranking.gate('compared') ORDER BY ALL;
CREATE OR REPLACE MACRO ranking.gate(ARGUMENTS) AS TABLE
{% import "tables/internal/reading.jinja" as reading %}
{% import "comparison/internal/comparing.jinja" as comparing %}
WITH _ranking_rows AS NOT MATERIALIZED (
    SELECT
        -- A column of a CSV file without a value is text.
        * REPLACE (
            {%- for name in ["p", "p_adjusted", "p_same", "p_same_adjusted", "difference", "standard_error"] %}
            {{ name }}::DOUBLE AS {{ name }},
            {%- endfor %}
            regexp_replace(method, ', \w+( of \d+)?$', '') AS method),
        coalesce(least(*COLUMNS('^(ranking_absent|(?i:segment))$'))::VARCHAR, '(all)') <> '(all)' AS is_of_segment,
        CASE WHEN users > 1 THEN users - 1 END AS df,
        coalesce(greatest(*COLUMNS('^(ranking_absent|(?i:users_predicted))$'))::BIGINT, 0) AS n_predicted,
        least(*COLUMNS('^(ranking_absent|(?i:higher_is_better))$'))::BOOLEAN AS named_direction,
        CASE
            WHEN named_direction IS NOT NULL THEN named_direction
            WHEN lower(regexp_extract(measure, '^[^(@]*')) IN {{ of.lower_measures }} THEN false
            WHEN lower(regexp_extract(measure, '^[^(@]*')) IN {{ of.neutral_measures }} THEN NULL
            ELSE true
        END AS is_higher_better
    FROM (
        SELECT unnest(
            CASE
                WHEN {{ reading.is_wrong_collation() }} THEN {{ reading.collation_error(of) | indent(16) }}
                WHEN count(*) = 0
                    THEN error({{ of.caller | literal }} || ': comparison must have a row, got none: there is nothing to look at')
                WHEN bool_or(least(*COLUMNS('^(ranking_absent|(?i:k))$'))::BIGINT = 0)
                    THEN error({{ of.caller | literal }} || ': k must be 1 or more, got 0: there is nothing to look at')
                ELSE list(comparison_of)
            END,
            max_depth := 2)
        FROM (
            SELECT *, NULL AS ranking_absent FROM query_table({{ of.comparison | literal }})
            UNION ALL BY NAME SELECT NULL::BIGINT AS users_needed WHERE false  -- rows that were stored may have none
        ) AS comparison_of)
), corrected AS NOT MATERIALIZED (
    {{ comparing.corrected(of, "_ranking_rows", "is_of_segment", "n_predicted", true) | indent }}
)
SELECT * EXCLUDE (
    is_of_segment, df, named_direction, n_predicted, quantiles, distance, least_users, is_higher_better, ranking_absent
) REPLACE (
    {{ comparing.verdict(of, "is_higher_better") | indent }} AS verdict)
FROM corrected
