-- Internal: a measure that is named by a text.
--
-- judged:  a judged ranking
-- k:       a cut-off
-- ranking: _ranking_at(judged, k)
-- measure: a measure's name
-- options: MAP from option to value, as texts; those left out have their defaults
-- Returns: DOUBLE
-- Example: SELECT _ranking_evaluated(judged, 2, _ranking_at(judged, 2), 'ndcg', MAP {'gain': 'linear'})
--          FROM (SELECT ranking_judge([1, 3], [1, 2]) AS judged);
CREATE OR REPLACE TEMP MACRO _ranking_evaluated(judged, k, ranking, measure, options) AS
CASE measure
    -- generated from the registry, do not edit
    WHEN 'recall' THEN _ranking_recall(ranking, normalize := coalesce(options['normalize'], 'truth'))
    WHEN 'precision' THEN _ranking_precision(ranking, divide := coalesce(options['divide'], 'list'))
    WHEN 'f_measure' THEN _ranking_f_measure(ranking, beta := coalesce(options['beta']::DOUBLE, 1))
    WHEN 'hit_rate' THEN _ranking_hit_rate(ranking)
    WHEN 'hits' THEN _ranking_hits(ranking)
    WHEN 'mrr' THEN _ranking_mrr(ranking)
    WHEN 'first_hit_rank' THEN _ranking_first_hit_rank(ranking)
    WHEN 'average_precision' THEN _ranking_average_precision(ranking, normalize := coalesce(options['normalize'], 'truth'))
    WHEN 'auc' THEN _ranking_auc(ranking)
    WHEN 'dcg' THEN _ranking_dcg(ranking, gain := coalesce(options['gain'], 'exp'), discount := coalesce(options['discount'], 'log2'), base := options['base']::DOUBLE, half_life := options['half_life']::DOUBLE)
    WHEN 'ideal_dcg' THEN _ranking_ideal_dcg(ranking, gain := coalesce(options['gain'], 'exp'), discount := coalesce(options['discount'], 'log2'), base := options['base']::DOUBLE, half_life := options['half_life']::DOUBLE)
    WHEN 'ndcg' THEN _ranking_ndcg(ranking, gain := coalesce(options['gain'], 'exp'), discount := coalesce(options['discount'], 'log2'), base := options['base']::DOUBLE, half_life := options['half_life']::DOUBLE)
    WHEN 'cumulative_gain' THEN _ranking_cumulative_gain(ranking, gain := coalesce(options['gain'], 'linear'))
    WHEN 'err' THEN ranking_err(judged, k, max_grade := coalesce(options['max_grade']::DOUBLE, 4))
    WHEN 'rbp' THEN ranking_rbp(judged, k, persistence := coalesce(options['persistence']::DOUBLE, 0.8), gain := coalesce(options['gain'], 'binary'), max_grade := options['max_grade']::DOUBLE)
    WHEN 'half_life_utility' THEN _ranking_half_life_utility(ranking, half_life := coalesce(options['half_life']::DOUBLE, 5), neutral := coalesce(options['neutral']::DOUBLE, 0))
    WHEN 'r_precision' THEN _ranking_r_precision(ranking)
    WHEN 'bpref' THEN _ranking_bpref(ranking)
    WHEN 'interpolated_precision' THEN _ranking_interpolated_precision(ranking, recall := coalesce(options['recall']::DOUBLE, 0))
    WHEN 'interpolated_average_precision' THEN _ranking_interpolated_average_precision(ranking)
    WHEN 'spearman' THEN _ranking_spearman(ranking)
    WHEN 'kendall_tau' THEN _ranking_kendall_tau(ranking, variant := coalesce(options['variant'], 'b'))
    WHEN 'concordant_pairs' THEN _ranking_concordant_pairs(ranking)
    -- end
END;
