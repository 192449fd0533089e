-- Internal: each measure of each user at each k.
--
-- rec, truth: names of tables, as query_table takes them
-- names:      what _ranking_names gives
-- ks:         LIST of cut-offs; NULL among them means the whole list, 0 the empty one
-- caller:     the function that an error names
-- Returns:    what ranking_by_user does, and what _ranking_judged adds to it; without truth, no number means anything
-- Example:    FROM _ranking_by_user(
--     'rec', 'truth', _ranking_names('userid', 'itemid', 'score', NULL, NULL, true), [5, 10], 'ranking_by_user');
CREATE OR REPLACE TEMP MACRO _ranking_by_user(rec, truth, names, ks, caller) AS TABLE
SELECT
    COLUMNS(lambda c: lower(c) IN ('system', 'ranking_system', 'has_truth', 'userid')),
    k,
    n_rec,
    n_truth,
    -- measures: generated from the registry, do not edit
    _ranking_recall(ranking) AS recall,
    _ranking_precision(ranking) AS "precision",
    _ranking_f_measure(ranking) AS f_measure,
    _ranking_hit_rate(ranking) AS hit_rate,
    _ranking_hits(ranking) AS hits,
    _ranking_mrr(ranking) AS mrr,
    _ranking_first_hit_rank(ranking) AS first_hit_rank,
    _ranking_average_precision(ranking) AS average_precision,
    _ranking_auc(ranking) AS auc,
    _ranking_dcg(ranking) AS dcg,
    _ranking_ideal_dcg(ranking) AS ideal_dcg,
    _ranking_ndcg(ranking) AS ndcg,
    _ranking_cumulative_gain(ranking) AS cumulative_gain,
    _ranking_rbp(ranking) AS rbp,
    _ranking_half_life_utility(ranking) AS half_life_utility,
    _ranking_r_precision(ranking) AS r_precision,
    _ranking_bpref(ranking) AS bpref,
    _ranking_interpolated_precision(ranking) AS interpolated_precision,
    _ranking_interpolated_average_precision(ranking) AS interpolated_average_precision,
    _ranking_spearman(ranking) AS spearman,
    _ranking_kendall_tau(ranking) AS kendall_tau,
    _ranking_concordant_pairs(ranking) AS concordant_pairs,
    -- end of measures
FROM (
    SELECT * EXCLUDE (judged, scores), _ranking_at(judged, k) AS ranking
    FROM _ranking_judged(rec, truth, names, _ranking_longest(ks), false, caller)
    CROSS JOIN (SELECT unnest(_ranking_cuts(ks, caller)) AS k)
);
