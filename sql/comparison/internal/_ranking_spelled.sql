-- Internal: the measure of this name, alias or label, as udfs/measures/grammar.py has them.
--
-- name:    VARCHAR in lower case, `_` for whatever is no letter or digit
-- Returns: VARCHAR; NULL if there is no such measure
-- Example: SELECT _ranking_spelled('map');  -- average_precision
CREATE OR REPLACE TEMP MACRO _ranking_spelled(name) AS
CASE
    -- generated from the registry, do not edit
    WHEN name IN ('recall', 'recall_at') THEN 'recall'
    WHEN name IN ('precision', 'precision_at') THEN 'precision'
    WHEN name IN ('f_measure', 'f1_score', 'f1', 'f_score') THEN 'f_measure'
    WHEN name IN ('hit_rate', 'hitrate', 'success') THEN 'hit_rate'
    WHEN name IN ('hits') THEN 'hits'
    WHEN name IN ('mrr', 'reciprocal_rank', 'recip_rank', 'rr') THEN 'mrr'
    WHEN name IN ('first_hit_rank') THEN 'first_hit_rank'
    WHEN name IN ('average_precision', 'ap', 'map') THEN 'average_precision'
    WHEN name IN ('auc', 'roc_auc') THEN 'auc'
    WHEN name IN ('dcg', 'discounted_cumulative_gain') THEN 'dcg'
    WHEN name IN ('ideal_dcg', 'idcg') THEN 'ideal_dcg'
    WHEN name IN ('ndcg') THEN 'ndcg'
    WHEN name IN ('cumulative_gain', 'cg') THEN 'cumulative_gain'
    WHEN name IN ('err') THEN 'err'
    WHEN name IN ('rbp', 'rank_biased_precision') THEN 'rbp'
    WHEN name IN ('half_life_utility', 'hlu') THEN 'half_life_utility'
    WHEN name IN ('r_precision', 'rprec') THEN 'r_precision'
    WHEN name IN ('bpref') THEN 'bpref'
    WHEN name IN ('interpolated_precision', 'iprec') THEN 'interpolated_precision'
    WHEN name IN ('interpolated_average_precision', 'eleven_point_average') THEN 'interpolated_average_precision'
    WHEN name IN ('spearman') THEN 'spearman'
    WHEN name IN ('kendall_tau', 'kendall', 'kendall_s_tau') THEN 'kendall_tau'
    WHEN name IN ('concordant_pairs', 'pairwise_accuracy') THEN 'concordant_pairs'
    -- end
END;
