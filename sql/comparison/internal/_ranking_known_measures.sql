-- Internal: what a comparison asks the registry about measures, under each of their names. A text that is cast, since
-- DuckDB takes as long to plan each part of a MAP as a function.
--
-- Returns: MAP from name to STRUCT(column_name (in the table functions; NULL if there is none), higher_is_better (NULL if
--          neither is), is_share (whether all values lie between 0 and 1)), in the order of the registry
-- Example: SELECT _ranking_known_measures()['map'].column_name;  -- average_precision
CREATE OR REPLACE TEMP MACRO _ranking_known_measures() AS
-- measures: generated from the registry, do not edit
'{recall={column_name: recall, higher_is_better: true, is_share: true},
recall_at={column_name: recall, higher_is_better: true, is_share: true},
precision={column_name: precision, higher_is_better: true, is_share: true},
precision_at={column_name: precision, higher_is_better: true, is_share: true},
f_measure={column_name: f_measure, higher_is_better: true, is_share: true},
f1_score={column_name: f_measure, higher_is_better: true, is_share: true},
f1={column_name: f_measure, higher_is_better: true, is_share: true},
f_score={column_name: f_measure, higher_is_better: true, is_share: true},
hit_rate={column_name: hit_rate, higher_is_better: true, is_share: true},
hitrate={column_name: hit_rate, higher_is_better: true, is_share: true},
success={column_name: hit_rate, higher_is_better: true, is_share: true},
hits={column_name: hits, higher_is_better: true, is_share: false},
mrr={column_name: mrr, higher_is_better: true, is_share: true},
reciprocal_rank={column_name: mrr, higher_is_better: true, is_share: true},
recip_rank={column_name: mrr, higher_is_better: true, is_share: true},
rr={column_name: mrr, higher_is_better: true, is_share: true},
first_hit_rank={column_name: first_hit_rank, higher_is_better: false, is_share: false},
average_precision={column_name: average_precision, higher_is_better: true, is_share: true},
ap={column_name: average_precision, higher_is_better: true, is_share: true},
auc={column_name: auc, higher_is_better: true, is_share: true},
roc_auc={column_name: auc, higher_is_better: true, is_share: true},
dcg={column_name: dcg, higher_is_better: true, is_share: false},
discounted_cumulative_gain={column_name: dcg, higher_is_better: true, is_share: false},
ideal_dcg={column_name: ideal_dcg, higher_is_better: NULL, is_share: false},
idcg={column_name: ideal_dcg, higher_is_better: NULL, is_share: false},
ndcg={column_name: ndcg, higher_is_better: true, is_share: true},
cumulative_gain={column_name: cumulative_gain, higher_is_better: true, is_share: false},
cg={column_name: cumulative_gain, higher_is_better: true, is_share: false},
err={column_name: NULL, higher_is_better: true, is_share: true},
rbp={column_name: rbp, higher_is_better: true, is_share: true},
rank_biased_precision={column_name: rbp, higher_is_better: true, is_share: true},
half_life_utility={column_name: half_life_utility, higher_is_better: true, is_share: true},
hlu={column_name: half_life_utility, higher_is_better: true, is_share: true},
r_precision={column_name: r_precision, higher_is_better: true, is_share: true},
rprec={column_name: r_precision, higher_is_better: true, is_share: true},
bpref={column_name: bpref, higher_is_better: true, is_share: true},
judged_share={column_name: judged_share, higher_is_better: NULL, is_share: true},
interpolated_precision={column_name: interpolated_precision, higher_is_better: true, is_share: true},
iprec={column_name: interpolated_precision, higher_is_better: true, is_share: true},
interpolated_average_precision={column_name: interpolated_average_precision, higher_is_better: true, is_share: true},
eleven_point_average={column_name: interpolated_average_precision, higher_is_better: true, is_share: true},
spearman={column_name: spearman, higher_is_better: true, is_share: false},
kendall_tau={column_name: kendall_tau, higher_is_better: true, is_share: false},
kendall={column_name: kendall_tau, higher_is_better: true, is_share: false},
concordant_pairs={column_name: concordant_pairs, higher_is_better: true, is_share: true},
pairwise_accuracy={column_name: concordant_pairs, higher_is_better: true, is_share: true},
map={column_name: average_precision, higher_is_better: true, is_share: true},
kendall_s_tau={column_name: kendall_tau, higher_is_better: true, is_share: false}}'
-- end of measures
::MAP(VARCHAR, STRUCT(column_name VARCHAR, higher_is_better BOOLEAN, is_share BOOLEAN));
