-- Every measure for every user with truth and every k.
--
-- rec, truth, user_col, ..., descending, JUDGING: as for ranking.judged
-- ks:         LIST of cutoffs; NULL among them means the whole list, 0 the empty one; may be left out where each of the
--             measures names its own. Like all arguments here, a constant, a $parameter or getvariable('ks'), and
--             not a subquery
-- ties:       'item': in the order of their itemids; 'trec': as trec_eval, which reads scores as FLOAT and orders equal ones by
--             itemid as text, descending; 'expected': each measure's expected value over all orders of the
--             items that tie, in closed form, without the columns of the measures that have none
-- measures:   measures as one text with commas or as a LIST, with options and cutoffs of their own: `ndcg(gain=linear),
--             average_precision(normalize=k)@5,10`; each is a column of its name and options, NULL at cutoffs that are not its
--             own; NULL: every column with its default options, but err, which refuses usual grades. Without Python, measures
--             have no options and no cutoffs here: write ranking.ndcg(judged, 10, gain := 'linear') over ranking.judged
-- Returns:    [system,] userid, k, n_rec (rows in rec), n_truth (relevant items), a DOUBLE per measure; those
--             that a query does not select are not computed
-- Errors:     as for ranking.judged; a k in ks that is no integer or below 0; ks that are none; measures, options or cutoffs
--             that are none (FROM ranking.functions() has all); a measure without a closed form over expected ties
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
