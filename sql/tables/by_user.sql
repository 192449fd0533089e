-- Computes every measure for each user with truth and each cutoff.
--
-- TABLE_LINES
-- ks:         LIST of cutoffs. NULL means the whole list, 0 the empty list. Optional if each measure has its own cutoffs.
--             Use a constant, a $parameter or getvariable('ks'), not a subquery.
-- ties:       order of equal scores: 'item' (default) is by itemid, ascending, 'trec' as in trec_eval. 'expected' averages
--             over all orders, in closed form; measures without one have no column.
-- measures:   measures with their options and cutoffs, as one string with commas or as a LIST:
--             `ndcg(gain=linear), average_precision(normalize=k)@5,10`. Each has a column of that name, NULL at other
--             cutoffs. NULL: every measure with default options, except err.
-- COLUMN_LINES
-- JUDGING_LINES
-- Returns:    One row per system, user and k: [system,] userid, k, n_rec, n_truth and a DOUBLE per measure.
--             `n_rec`: number of rows in rec.
--             `n_truth`: number of relevant items.
-- Errors:     As for ranking.judged. No cutoffs, or a cutoff that is negative or not an integer. Unknown measures, options or
--             cutoffs of measures: FROM ranking.functions() lists all. With ties := 'expected', a measure without a closed
--             form.
-- Example:    SELECT system, userid, ndcg FROM ranking.by_user('rec', 'truth', [10])
--             ORDER BY ndcg, userid, system LIMIT 3;
CREATE OR REPLACE MACRO ranking.by_user(
    rec, truth, ks := NULL, ties := 'item', COLUMN_ARGUMENTS, JUDGING_ARGUMENTS, measures := NULL) AS TABLE
{% import "tables/internal/judging.jinja" as judging %}
{% import "tables/internal/cutting.jinja" as cutting %}
WITH {{ judging.judged(of) }}, {{ cutting.measured(of) }}
SELECT {{ of.system_first }}* EXCLUDE (ranking_system, has_truth)
FROM measured
WHERE has_truth
