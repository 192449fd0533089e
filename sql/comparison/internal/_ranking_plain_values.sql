-- Internal: measures with their default options, each only if it is wanted: what this depends on is known when the
-- query is planned, so that no other is computed.
--
-- ranking: _ranking_at(judged, k)
-- names:   LIST of names of measures
-- Returns: DOUBLE[], one for each of _ranking_with_columns()
-- Example: SELECT _ranking_plain_values(_ranking_at(ranking_judge([1, 3], [1, 2]), 2), ['ndcg', 'recall']);
CREATE OR REPLACE TEMP MACRO _ranking_plain_values(ranking, names) AS
[
    -- generated from the registry, do not edit
    CASE WHEN list_contains(names, 'recall') THEN _ranking_recall(ranking) END,
    CASE WHEN list_contains(names, 'precision') THEN _ranking_precision(ranking) END,
    CASE WHEN list_contains(names, 'f_measure') THEN _ranking_f_measure(ranking) END,
    CASE WHEN list_contains(names, 'hit_rate') THEN _ranking_hit_rate(ranking) END,
    CASE WHEN list_contains(names, 'hits') THEN _ranking_hits(ranking) END,
    CASE WHEN list_contains(names, 'mrr') THEN _ranking_mrr(ranking) END,
    CASE WHEN list_contains(names, 'first_hit_rank') THEN _ranking_first_hit_rank(ranking) END,
    CASE WHEN list_contains(names, 'average_precision') THEN _ranking_average_precision(ranking) END,
    CASE WHEN list_contains(names, 'auc') THEN _ranking_auc(ranking) END,
    CASE WHEN list_contains(names, 'dcg') THEN _ranking_dcg(ranking) END,
    CASE WHEN list_contains(names, 'ideal_dcg') THEN _ranking_ideal_dcg(ranking) END,
    CASE WHEN list_contains(names, 'ndcg') THEN _ranking_ndcg(ranking) END,
    CASE WHEN list_contains(names, 'cumulative_gain') THEN _ranking_cumulative_gain(ranking) END,
    CASE WHEN list_contains(names, 'rbp') THEN _ranking_rbp(ranking) END,
    CASE WHEN list_contains(names, 'half_life_utility') THEN _ranking_half_life_utility(ranking) END,
    CASE WHEN list_contains(names, 'r_precision') THEN _ranking_r_precision(ranking) END,
    CASE WHEN list_contains(names, 'bpref') THEN _ranking_bpref(ranking) END,
    CASE WHEN list_contains(names, 'interpolated_precision') THEN _ranking_interpolated_precision(ranking) END,
    CASE WHEN list_contains(names, 'interpolated_average_precision') THEN _ranking_interpolated_average_precision(ranking) END,
    CASE WHEN list_contains(names, 'spearman') THEN _ranking_spearman(ranking) END,
    CASE WHEN list_contains(names, 'kendall_tau') THEN _ranking_kendall_tau(ranking) END,
    CASE WHEN list_contains(names, 'concordant_pairs') THEN _ranking_concordant_pairs(ranking) END,
    -- end
];
