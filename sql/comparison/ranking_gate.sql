-- The verdicts of a comparison with p corrected over all of its rows: what a pipeline may stop at. The chance that any
-- system is called better or worse though there is no difference is then 1 - confidence at most, for all rows together.
--
-- comparison: table of rows of ranking_compare or ranking_compare_by_user, as query_table takes it: all those that the gate
--             looks at, whichever systems, segments, measures and k; which end of a measure is better is read of
--             higher_is_better, or without it known by the measure's name
-- confidence: the least for a verdict: p must be below 1 - confidence
-- correction: 'holm', 'bh' (Benjamini and Hochberg) or 'none', as of ranking_compare
-- Returns:    the rows, with p_adjusted, p_same_adjusted, method, minimum_detectable_effect and verdict of all together
-- Errors:     a table without a row; a row at k = 0; a confidence or correction that is not allowed
-- Source:     Holm (1979)
-- Example:    WITH compared AS (FROM ranking_compare('rec', 'truth', [5, 10], measures := ['ndcg', 'mrr']))
--             SELECT k, measure, p, p_adjusted, method, verdict FROM ranking_gate('compared') ORDER BY ALL;
CREATE OR REPLACE TEMP MACRO ranking_gate(comparison, confidence := 0.95, correction := 'holm') AS TABLE
SELECT * EXCLUDE (family_of, family, p_place, p_same_place, is_higher_better, ranking_absent) REPLACE (
    _ranking_verdict(
        p_adjusted,
        p_same_adjusted,
        (1 - confidence::DECIMAL(20, 19))::DOUBLE,
        difference,
        list_transform(
            [_ranking_known_measures()[lower(regexp_extract(measure, '^[^(@]*'))]],
            lambda known: CASE
                WHEN is_higher_better IS NOT NULL THEN is_higher_better
                WHEN known IS NULL THEN true
                ELSE known.higher_is_better
            END)[1]) AS verdict)
FROM (
    SELECT * REPLACE (
        _ranking_p_adjusted(p, p_place, family, correction) AS p_adjusted,
        _ranking_p_adjusted(p_same, p_same_place, family, correction) AS p_same_adjusted,
        concat(
            regexp_replace(method, ', \w+( of \d+)?$', ''),
            ', ', correction, CASE WHEN correction <> 'none' THEN ' of ' || family END) AS method,
        nullif(standard_error, 0) * list_sum(list_transform(
            [
                (1 - confidence::DECIMAL(20, 19))::DOUBLE
                    / CASE WHEN correction = 'none' THEN 1 ELSE greatest(family, 1) END,
                0.4],
            lambda probability: _ranking_t_quantile(probability, CASE WHEN users > 1 THEN users - 1 END)
        )) AS minimum_detectable_effect)
    FROM (
        SELECT
            *,
            0 AS family_of,
            count(p) OVER () AS family,
            row_number() OVER (ORDER BY p ASC NULLS LAST) AS p_place,
            row_number() OVER (ORDER BY p_same ASC NULLS LAST) AS p_same_place,
            least(*COLUMNS('^(ranking_absent|(?i:higher_is_better))$')) AS is_higher_better
        FROM (
            SELECT unnest(
                CASE
                    WHEN count(*) = 0
                        THEN error('ranking_gate: comparison must have a row, got none: there is nothing to look at')
                    WHEN bool_or(least(*COLUMNS('^(ranking_absent|(?i:k))$')) = 0)
                        THEN error('ranking_gate: k must be 1 or more, got 0: there is nothing to look at')
                    ELSE list(comparison_of)
                END,
                max_depth := 2)
            FROM (
                SELECT *, NULL AS ranking_absent FROM query_table(_ranking_table('comparison', comparison)) AS rows
            ) AS comparison_of))
    WHERE _ranking_compare_options(confidence, NULL, correction, 't', 1, 0, 'ranking_gate'));
