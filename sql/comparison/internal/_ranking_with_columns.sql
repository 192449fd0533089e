-- Internal: the measures that the table functions have a column for.
--
-- Returns: VARCHAR[], in the order of the registry
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
