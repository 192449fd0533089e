-- Internal: the body of ranking_by_user. Used by ranking_by_user and ranking_summary.
--
-- rec, truth: names of tables, as query_table takes them
-- ks:         LIST of cut-offs; NULL among them means the whole list, 0 the empty one
-- caller:     the function that an error names
-- Returns:    what ranking_by_user does, and ranking_system: the system, or NULL if there is no such column
-- Example:    FROM _ranking_by_user('rec', 'truth', [5, 10], 'ranking_by_user');
CREATE OR REPLACE TEMP MACRO _ranking_by_user(rec, truth, ks, caller) AS TABLE
SELECT
    COLUMNS(lambda c: lower(c) IN ('system', 'ranking_system', 'userid')),
    k,
    n_rec,
    n_truth,
    -- columns: generated from the registry, do not edit
    recall[place] AS recall,
    "precision"[place] AS "precision",
    f_measure[place] AS f_measure,
    hit_rate[place] AS hit_rate,
    hits[place] AS hits,
    mrr[place] AS mrr,
    first_hit_rank[place] AS first_hit_rank,
    average_precision[place] AS average_precision,
    auc[place] AS auc,
    dcg[place] AS dcg,
    ideal_dcg[place] AS ideal_dcg,
    ndcg[place] AS ndcg,
    cumulative_gain[place] AS cumulative_gain,
    rbp[place] AS rbp,
    half_life_utility[place] AS half_life_utility,
    r_precision[place] AS r_precision,
    bpref[place] AS bpref,
    interpolated_precision[place] AS interpolated_precision,
    interpolated_average_precision[place] AS interpolated_average_precision,
    spearman[place] AS spearman,
    kendall_tau[place] AS kendall_tau,
    concordant_pairs[place] AS concordant_pairs,
    -- end of columns
FROM (
    SELECT
        * EXCLUDE (judged, at_ks),
        -- measures: generated from the registry, do not edit
        system.main.udf_ranking_values(judged, 'recall' || at_ks) AS recall,
        system.main.udf_ranking_values(judged, 'precision' || at_ks) AS "precision",
        system.main.udf_ranking_values(judged, 'f_measure' || at_ks) AS f_measure,
        system.main.udf_ranking_values(judged, 'hit_rate' || at_ks) AS hit_rate,
        system.main.udf_ranking_values(judged, 'hits' || at_ks) AS hits,
        system.main.udf_ranking_values(judged, 'mrr' || at_ks) AS mrr,
        system.main.udf_ranking_values(judged, 'first_hit_rank' || at_ks) AS first_hit_rank,
        system.main.udf_ranking_values(judged, 'average_precision' || at_ks) AS average_precision,
        system.main.udf_ranking_values(judged, 'auc' || at_ks) AS auc,
        system.main.udf_ranking_values(judged, 'dcg' || at_ks) AS dcg,
        system.main.udf_ranking_values(judged, 'ideal_dcg' || at_ks) AS ideal_dcg,
        system.main.udf_ranking_values(judged, 'ndcg' || at_ks) AS ndcg,
        system.main.udf_ranking_values(judged, 'cumulative_gain' || at_ks) AS cumulative_gain,
        system.main.udf_ranking_values(judged, 'rbp' || at_ks) AS rbp,
        system.main.udf_ranking_values(judged, 'half_life_utility' || at_ks) AS half_life_utility,
        system.main.udf_ranking_values(judged, 'r_precision' || at_ks) AS r_precision,
        system.main.udf_ranking_values(judged, 'bpref' || at_ks) AS bpref,
        system.main.udf_ranking_values(judged, 'interpolated_precision' || at_ks) AS interpolated_precision,
        system.main.udf_ranking_values(judged, 'interpolated_average_precision' || at_ks) AS interpolated_average_precision,
        system.main.udf_ranking_values(judged, 'spearman' || at_ks) AS spearman,
        system.main.udf_ranking_values(judged, 'kendall_tau' || at_ks) AS kendall_tau,
        system.main.udf_ranking_values(judged, 'concordant_pairs' || at_ks) AS concordant_pairs,
        -- end of measures
    FROM (
        SELECT *, _ranking_at(_ranking_cuts(ks, caller)) AS at_ks
        FROM _ranking_judged(rec, truth, _ranking_longest(ks), caller)
    )
)
CROSS JOIN (
    SELECT unnest(cuts) AS k, generate_subscripts(cuts, 1) AS place FROM (SELECT _ranking_cuts(ks, caller) AS cuts)
);
