-- Internal: the measures that _ranking_by_user has a column for, in its order. Used by ranking_compare.
--
-- Returns: VARCHAR[]
-- Example: SELECT _ranking_with_columns();
CREATE OR REPLACE TEMP MACRO _ranking_with_columns() AS
[
    -- generated from the registry, do not edit
    'recall',
    'precision',
    'f_measure',
    'hit_rate',
    'hits',
    'mrr',
    'first_hit_rank',
    'average_precision',
    'auc',
    'dcg',
    'ideal_dcg',
    'ndcg',
    'cumulative_gain',
    'rbp',
    'half_life_utility',
    'r_precision',
    'bpref',
    'interpolated_precision',
    'interpolated_average_precision',
    'spearman',
    'kendall_tau',
    'concordant_pairs',
    -- end
];
