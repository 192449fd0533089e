-- Every measure for every user with truth and every k.
--
-- rec, truth: tables with userid, itemid, score and userid, itemid [, rel], as for ranking_judged
-- ks:         LIST of cut-offs; NULL among them means the whole list, 0 the empty one
-- Returns:    [system,] userid, k, n_rec (rows in rec), n_truth (relevant items), a DOUBLE per measure with its
--             default options; those that a query does not select are not computed
-- Example:    SELECT userid, ndcg FROM ranking_by_user('rec', 'truth', [10]) ORDER BY ndcg;
CREATE OR REPLACE TEMP MACRO ranking_by_user(rec, truth, ks) AS TABLE
SELECT
    * EXCLUDE (n_rec, n_truth, judged, k),
    k,
    n_rec,
    n_truth,
    -- measures: generated from the registry, do not edit
    system.main.recall(judged, k) AS recall,
    system.main."precision"(judged, k) AS "precision",
    system.main.f_measure(judged, k) AS f_measure,
    system.main.hit_rate(judged, k) AS hit_rate,
    system.main.hits(judged, k) AS hits,
    system.main.mrr(judged, k) AS mrr,
    system.main.first_hit_rank(judged, k) AS first_hit_rank,
    system.main.average_precision(judged, k) AS average_precision,
    system.main.auc(judged, k) AS auc,
    system.main.dcg(judged, k) AS dcg,
    system.main.ideal_dcg(judged, k) AS ideal_dcg,
    system.main.ndcg(judged, k) AS ndcg,
    system.main.cumulative_gain(judged, k) AS cumulative_gain,
    system.main.rbp(judged, k) AS rbp,
    system.main.half_life_utility(judged, k) AS half_life_utility,
    system.main.r_precision(judged, k) AS r_precision,
    system.main.bpref(judged, k) AS bpref,
    system.main.interpolated_precision(judged, k) AS interpolated_precision,
    system.main.interpolated_average_precision(judged, k) AS interpolated_average_precision,
    system.main.spearman(judged, k) AS spearman,
    system.main.kendall_tau(judged, k) AS kendall_tau,
    system.main.concordant_pairs(judged, k) AS concordant_pairs,
    -- end of measures
FROM ranking_judged(
    rec, truth, CASE WHEN list_count(ks) < len(ks) THEN NULL ELSE list_max(ranking_cuts(ks)) END
)
CROSS JOIN (SELECT DISTINCT unnest(ranking_cuts(ks)) AS k);
