-- Every measure for every user with truth and every k.
--
-- rec, truth: tables with userid, itemid, score and userid, itemid [, rel], as for ranking_judged
-- ks:         LIST of cut-offs; NULL among them means the whole list, 0 the empty one
-- Returns:    [system,] userid, k, n_rec (rows in rec), n_truth (relevant items), a DOUBLE per measure with its
--             default options; those that a query does not select are not computed
-- Example:    SELECT userid, ndcg FROM ranking_by_user('rec', 'truth', [10]) ORDER BY ndcg;
CREATE OR REPLACE TEMP MACRO ranking_by_user(rec, truth, ks) AS TABLE
SELECT
    COLUMNS(lambda c: lower(c) IN ('userid', 'system')),
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
        * EXCLUDE (judged, ranking_at),
        -- measures: generated from the registry, do not edit
        system.main.udf_ranking_values(judged, 'recall' || ranking_at) AS recall,
        system.main.udf_ranking_values(judged, 'precision' || ranking_at) AS "precision",
        system.main.udf_ranking_values(judged, 'f_measure' || ranking_at) AS f_measure,
        system.main.udf_ranking_values(judged, 'hit_rate' || ranking_at) AS hit_rate,
        system.main.udf_ranking_values(judged, 'hits' || ranking_at) AS hits,
        system.main.udf_ranking_values(judged, 'mrr' || ranking_at) AS mrr,
        system.main.udf_ranking_values(judged, 'first_hit_rank' || ranking_at) AS first_hit_rank,
        system.main.udf_ranking_values(judged, 'average_precision' || ranking_at) AS average_precision,
        system.main.udf_ranking_values(judged, 'auc' || ranking_at) AS auc,
        system.main.udf_ranking_values(judged, 'dcg' || ranking_at) AS dcg,
        system.main.udf_ranking_values(judged, 'ideal_dcg' || ranking_at) AS ideal_dcg,
        system.main.udf_ranking_values(judged, 'ndcg' || ranking_at) AS ndcg,
        system.main.udf_ranking_values(judged, 'cumulative_gain' || ranking_at) AS cumulative_gain,
        system.main.udf_ranking_values(judged, 'rbp' || ranking_at) AS rbp,
        system.main.udf_ranking_values(judged, 'half_life_utility' || ranking_at) AS half_life_utility,
        system.main.udf_ranking_values(judged, 'r_precision' || ranking_at) AS r_precision,
        system.main.udf_ranking_values(judged, 'bpref' || ranking_at) AS bpref,
        system.main.udf_ranking_values(judged, 'interpolated_precision' || ranking_at) AS interpolated_precision,
        system.main.udf_ranking_values(judged, 'interpolated_average_precision' || ranking_at) AS interpolated_average_precision,
        system.main.udf_ranking_values(judged, 'spearman' || ranking_at) AS spearman,
        system.main.udf_ranking_values(judged, 'kendall_tau' || ranking_at) AS kendall_tau,
        system.main.udf_ranking_values(judged, 'concordant_pairs' || ranking_at) AS concordant_pairs,
        -- end of measures
    FROM (
        SELECT *, ranking_at(ks) AS ranking_at
        FROM ranking_judged(
            rec, truth, CASE WHEN list_count(ks) < len(ks) THEN NULL ELSE list_max(ranking_cuts(ks)) END
        )
    )
)
CROSS JOIN (SELECT unnest(ranking_cuts(ks)) AS k, generate_subscripts(ranking_cuts(ks), 1) AS place);
