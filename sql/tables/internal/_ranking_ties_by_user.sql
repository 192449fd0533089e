-- Internal: as _ranking_by_user, with a word on ties. Used where `ties` is given.
--
-- rec, truth, names, ks, caller: as for _ranking_by_user
-- ties:       'item', or 'expected' for the expected value of each measure over all orders of tied items, without those
--             that have no closed form
-- Returns:    as _ranking_by_user
-- Example:    FROM _ranking_ties_by_user(
--     'rec', 'truth', _ranking_names('userid', 'itemid', 'score', NULL, NULL, true), [5], 'expected', 'ranking_by_user');
CREATE OR REPLACE TEMP MACRO _ranking_ties_by_user(rec, truth, names, ks, ties, caller) AS TABLE
SELECT COLUMNS(lambda c: ties::VARCHAR IS DISTINCT FROM 'expected' OR _ranking_has_expected(c))
FROM (
    SELECT
        COLUMNS(lambda c: lower(c) IN ('system', 'ranking_system', 'has_truth', 'userid')),
        k,
        n_rec,
        n_truth,
        -- measures: generated from the registry, do not edit
        CASE ties::VARCHAR WHEN 'expected' THEN _ranking_expected_recall(tied) ELSE _ranking_recall(ranking) END AS recall,
        CASE ties::VARCHAR WHEN 'expected' THEN _ranking_expected_precision(tied) ELSE _ranking_precision(ranking) END AS "precision",
        CASE ties::VARCHAR WHEN 'expected' THEN _ranking_expected_f_measure(tied) ELSE _ranking_f_measure(ranking) END AS f_measure,
        CASE ties::VARCHAR WHEN 'expected' THEN _ranking_expected_hit_rate(tied) ELSE _ranking_hit_rate(ranking) END AS hit_rate,
        CASE ties::VARCHAR WHEN 'expected' THEN _ranking_expected_hits(tied) ELSE _ranking_hits(ranking) END AS hits,
        CASE ties::VARCHAR WHEN 'expected' THEN _ranking_expected_mrr(tied) ELSE _ranking_mrr(ranking) END AS mrr,
        _ranking_first_hit_rank(ranking) AS first_hit_rank,
        CASE ties::VARCHAR WHEN 'expected' THEN _ranking_expected_average_precision(tied) ELSE _ranking_average_precision(ranking) END AS average_precision,
        CASE ties::VARCHAR WHEN 'expected' THEN _ranking_expected_auc(tied) ELSE _ranking_auc(ranking) END AS auc,
        CASE ties::VARCHAR WHEN 'expected' THEN _ranking_expected_dcg(tied) ELSE _ranking_dcg(ranking) END AS dcg,
        CASE ties::VARCHAR WHEN 'expected' THEN _ranking_expected_ideal_dcg(tied) ELSE _ranking_ideal_dcg(ranking) END AS ideal_dcg,
        CASE ties::VARCHAR WHEN 'expected' THEN _ranking_expected_ndcg(tied) ELSE _ranking_ndcg(ranking) END AS ndcg,
        CASE ties::VARCHAR WHEN 'expected' THEN _ranking_expected_cumulative_gain(tied) ELSE _ranking_cumulative_gain(ranking) END AS cumulative_gain,
        CASE ties::VARCHAR WHEN 'expected' THEN _ranking_expected_rbp(tied) ELSE _ranking_rbp(ranking) END AS rbp,
        CASE ties::VARCHAR WHEN 'expected' THEN _ranking_expected_half_life_utility(tied) ELSE _ranking_half_life_utility(ranking) END AS half_life_utility,
        CASE ties::VARCHAR WHEN 'expected' THEN _ranking_expected_r_precision(tied) ELSE _ranking_r_precision(ranking) END AS r_precision,
        _ranking_bpref(ranking) AS bpref,
        _ranking_interpolated_precision(ranking) AS interpolated_precision,
        _ranking_interpolated_average_precision(ranking) AS interpolated_average_precision,
        _ranking_spearman(ranking) AS spearman,
        _ranking_kendall_tau(ranking) AS kendall_tau,
        _ranking_concordant_pairs(ranking) AS concordant_pairs,
        -- end of measures
    FROM (
        SELECT * EXCLUDE (judged, tied), _ranking_at(judged, k) AS ranking, _ranking_tied_at(tied, k) AS tied
        FROM _ranking_tied_judged(
            rec, truth, names, _ranking_longest(ks), ties::VARCHAR IS NOT DISTINCT FROM 'expected', caller
        )
        CROSS JOIN (SELECT unnest(_ranking_cuts(ks, caller)) AS k)
    )
)
WHERE (SELECT _ranking_valid_ties(ties, caller));
