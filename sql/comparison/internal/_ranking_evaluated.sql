-- Internal: a measure that is named by a text. Used by ranking_compare.
--
-- judged:  a judged ranking
-- k:       a cut-off
-- measure: a measure's name
-- options: MAP from option to value, as texts; those left out have their defaults
-- Returns: DOUBLE
-- Example: SELECT _ranking_evaluated(ranking_judge([1, 3], [1, 2]), 2, 'ndcg', MAP {'gain': 'linear'});
CREATE OR REPLACE TEMP MACRO _ranking_evaluated(judged, k, measure, options) AS
CASE measure
    -- generated from the registry, do not edit
    WHEN 'recall' THEN ranking_recall(judged, k, normalize := coalesce(options['normalize'], 'truth'))
    WHEN 'precision' THEN ranking_precision(judged, k, divide := coalesce(options['divide'], 'list'))
    WHEN 'f_measure' THEN ranking_f_measure(judged, k, beta := coalesce(options['beta']::DOUBLE, 1))
    WHEN 'hit_rate' THEN ranking_hit_rate(judged, k)
    WHEN 'hits' THEN ranking_hits(judged, k)
    WHEN 'mrr' THEN ranking_mrr(judged, k)
    WHEN 'first_hit_rank' THEN ranking_first_hit_rank(judged, k)
    WHEN 'average_precision' THEN ranking_average_precision(judged, k, normalize := coalesce(options['normalize'], 'truth'))
    WHEN 'auc' THEN ranking_auc(judged, k)
    WHEN 'dcg' THEN ranking_dcg(judged, k, gain := coalesce(options['gain'], 'exp'), discount := coalesce(options['discount'], 'log2'), base := options['base']::DOUBLE, half_life := options['half_life']::DOUBLE)
    WHEN 'ideal_dcg' THEN ranking_ideal_dcg(judged, k, gain := coalesce(options['gain'], 'exp'), discount := coalesce(options['discount'], 'log2'), base := options['base']::DOUBLE, half_life := options['half_life']::DOUBLE)
    WHEN 'ndcg' THEN ranking_ndcg(judged, k, gain := coalesce(options['gain'], 'exp'), discount := coalesce(options['discount'], 'log2'), base := options['base']::DOUBLE, half_life := options['half_life']::DOUBLE)
    WHEN 'cumulative_gain' THEN ranking_cumulative_gain(judged, k, gain := coalesce(options['gain'], 'linear'))
    WHEN 'err' THEN ranking_err(judged, k, max_grade := coalesce(options['max_grade']::DOUBLE, 4))
    WHEN 'rbp' THEN ranking_rbp(judged, k, persistence := coalesce(options['persistence']::DOUBLE, 0.8), gain := coalesce(options['gain'], 'binary'), max_grade := options['max_grade']::DOUBLE)
    WHEN 'half_life_utility' THEN ranking_half_life_utility(judged, k, half_life := coalesce(options['half_life']::DOUBLE, 5), neutral := coalesce(options['neutral']::DOUBLE, 0))
    WHEN 'r_precision' THEN ranking_r_precision(judged, k)
    WHEN 'bpref' THEN ranking_bpref(judged, k)
    WHEN 'interpolated_precision' THEN ranking_interpolated_precision(judged, k, recall := coalesce(options['recall']::DOUBLE, 0))
    WHEN 'interpolated_average_precision' THEN ranking_interpolated_average_precision(judged, k)
    WHEN 'spearman' THEN ranking_spearman(judged, k)
    WHEN 'kendall_tau' THEN ranking_kendall_tau(judged, k, variant := coalesce(options['variant'], 'b'))
    WHEN 'concordant_pairs' THEN ranking_concordant_pairs(judged, k)
    -- end
END;
