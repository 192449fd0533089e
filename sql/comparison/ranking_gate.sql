-- The verdicts of a comparison with p corrected over all of its rows: what a pipeline may stop at. The chance that any
-- system is called better or worse though there is no difference is then 1 - confidence at most, for all rows together.
-- Rows of all users, and rows of segments, are corrected apart, so that segments take no power from all users: a gate with
-- conditions on both errs in up to twice 1 - confidence.
--
-- comparison: table of rows of ranking_compare or ranking_compare_by_user, as query_table takes it: all those that the gate
--             looks at, whichever systems, segments, measures and k; which end of a measure is better is read of
--             higher_is_better, or without it known by the measure's name. Rows whose segment is NULL or '(all)', or where
--             there is no column segment, are of all users
-- confidence: the least for a verdict: p must be below 1 - confidence
-- correction: 'holm', 'bh' (Benjamini and Hochberg) or 'none', as of ranking_compare
-- margin:     that of the comparison, for users_needed alone, which is NULL where there was one and it is not named here
-- Returns:    the rows, with p_adjusted, p_same_adjusted, method, minimum_detectable_effect, users_needed and verdict of all
--             together, of all users and of segments apart
-- Errors:     a table without a row; a row at k = 0; a confidence or correction that is not allowed
-- Source:     Holm (1979)
-- Example:    WITH compared AS (FROM ranking_compare('rec', 'truth', [5, 10], measures := ['ndcg', 'mrr']))
--             SELECT k, measure, p, p_adjusted, method, verdict FROM ranking_gate('compared') ORDER BY ALL;
CREATE OR REPLACE TEMP MACRO ranking_gate(
    comparison, confidence := 0.95, correction := 'holm', margin := NULL) AS TABLE
WITH _ranking_rows AS NOT MATERIALIZED (
    SELECT
        * REPLACE (regexp_replace(method, ', \w+( of \d+)?$', '') AS method),
        coalesce(least(*COLUMNS('^(ranking_absent|(?i:segment))$'))::VARCHAR, '(all)') <> '(all)' AS family_of,
        CASE WHEN users > 1 THEN users - 1 END AS df,
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
            UNION ALL BY NAME SELECT NULL::BIGINT AS users_needed WHERE false  -- rows that were stored may have none
        ) AS comparison_of)
    WHERE _ranking_compare_options(confidence, margin, correction, 't', 1, 0, 'ranking_gate')
)
SELECT * EXCLUDE (df, quantiles, is_higher_better, ranking_absent) REPLACE (
    _ranking_verdict(
        p_adjusted, p_same_adjusted, confidence, difference,
        list_transform(
            [_ranking_known_measures()[lower(regexp_extract(measure, '^[^(@]*'))]],
            lambda known: CASE
                WHEN is_higher_better IS NOT NULL THEN is_higher_better
                WHEN known IS NULL THEN true
                ELSE known.higher_is_better
            END)[1]) AS verdict)
FROM _ranking_corrected('_ranking_rows', confidence, correction, margin);
