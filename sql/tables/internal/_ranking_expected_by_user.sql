-- Internal: the expected value of each measure over all orders of tied items, for each user and each k.
--
-- rec, truth, names, ks, caller: as for _ranking_by_user
-- Returns:    as _ranking_by_user, without the measures whose expected value has no closed form
-- Example:    FROM _ranking_expected_by_user(
--     'rec', 'truth', _ranking_names('userid', 'itemid', 'score', NULL, NULL, true), [5], 'ranking_by_user');
CREATE OR REPLACE TEMP MACRO _ranking_expected_by_user(rec, truth, names, ks, caller) AS TABLE
SELECT
    COLUMNS(lambda c: lower(c) IN ('system', 'ranking_system', 'has_truth', 'userid')),
    k,
    n_rec,
    n_truth,
    -- measures: generated from the registry, do not edit
    _ranking_recall(ranking) AS recall,
    _ranking_precision(ranking) AS "precision",
    _ranking_f_measure(ranking) AS f_measure,
    _ranking_expected_hit_rate(ranking) AS hit_rate,
    _ranking_hits(ranking) AS hits,
    _ranking_expected_mrr(ranking) AS mrr,
    _ranking_expected_average_precision(ranking) AS average_precision,
    _ranking_expected_auc(ranking) AS auc,
    _ranking_expected_dcg(ranking) AS dcg,
    _ranking_ideal_dcg(ranking) AS ideal_dcg,
    _ranking_expected_ndcg(ranking) AS ndcg,
    _ranking_expected_cumulative_gain(ranking) AS cumulative_gain,
    _ranking_expected_rbp(ranking) AS rbp,
    _ranking_expected_half_life_utility(ranking) AS half_life_utility,
    _ranking_expected_r_precision(ranking) AS r_precision,
    -- end of measures
FROM (
    SELECT * EXCLUDE (judged, tied), _ranking_tied_at(tied, k) AS ranking
    FROM _ranking_tied_judged(rec, truth, names, _ranking_longest(ks), caller)
    CROSS JOIN (SELECT unnest(_ranking_cuts(ks, caller)) AS k)
);
