-- Computes every measure for each user with truth and each cutoff.
--
-- measures: Each has a column, NULL at other cutoffs. By default every measure with default options, except err.
-- ks: Use a constant, a $parameter or getvariable('ks'), not a subquery.
-- ties: With 'expected', measures without a closed form have no column; to name one is an error.
-- Returns:    One row per system, user and k: [system,] userid, k, n_rec (number of rows in rec), n_truth (number of
--             relevant items) and a DOUBLE per measure.
-- Errors:     Unknown measures, options or cutoffs of measures: ranking.functions lists all.
-- Example:    SELECT system, userid, ndcg FROM ranking.by_user('rec', 'truth', [10])
--             ORDER BY ndcg, userid, system LIMIT 2;
CREATE OR REPLACE MACRO ranking.by_user(ARGUMENTS) AS TABLE
{% import "tables/internal/cutting.jinja" as cutting %}
WITH {{ cutting.measured(of) }}
SELECT {{ of.system_first }}* EXCLUDE (ranking_system, has_truth)
FROM measured
WHERE has_truth
