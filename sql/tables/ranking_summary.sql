-- The mean of every measure over the users with truth, for every k.
--
-- rec, truth: tables with userid, itemid, score and userid, itemid [, rel], as for ranking_judged
-- ks:         LIST of cut-offs; NULL among them means the whole list, 0 the empty one
-- user_col, ..., descending: as for ranking_judged
-- Returns:    [system,] k, users (all with truth), users_without_rec (of them; they score as an empty list),
--             users_without_truth (in rec, left out), a DOUBLE per measure with its default options; those that
--             a query does not select are not computed
-- With ties := 'expected' in place of 'item', the means of the measures' expected values over all orders of the items
--             that tie, in closed form; without the columns of the measures that have none
-- Example:    SELECT k, recall, ndcg FROM ranking_summary('rec', 'truth', [5, 10]);
CREATE OR REPLACE TEMP MACRO ranking_summary
    (
        rec, truth, ks,
        user_col := 'userid', item_col := 'itemid', score_col := 'score', grade_col := NULL, system_col := NULL,
        descending := true
    ) AS TABLE (
        SELECT * EXCLUDE (ranking_system, has_truth, strangers) REPLACE (coalesce(strangers, 0) AS users_without_truth)
        FROM (
            SELECT *, max(users) FILTER (NOT has_truth) OVER (PARTITION BY ranking_system, k) AS strangers
            FROM (
                SELECT
                    COLUMNS(lambda c: lower(c) IN ('system', 'ranking_system', 'has_truth', 'k')),
                    count(*) AS users,
                    count(*) FILTER (n_rec = 0) AS users_without_rec,
                    NULL AS users_without_truth,
                    -- measures: generated from the registry, do not edit
                    ranking_mean(recall) AS recall,
                    ranking_mean("precision") AS "precision",
                    ranking_mean(f_measure) AS f_measure,
                    ranking_mean(hit_rate) AS hit_rate,
                    ranking_mean(hits) AS hits,
                    ranking_mean(mrr) AS mrr,
                    ranking_mean(first_hit_rank) AS first_hit_rank,
                    ranking_mean(average_precision) AS average_precision,
                    ranking_mean(auc) AS auc,
                    ranking_mean(dcg) AS dcg,
                    ranking_mean(ideal_dcg) AS ideal_dcg,
                    ranking_mean(ndcg) AS ndcg,
                    ranking_mean(cumulative_gain) AS cumulative_gain,
                    ranking_mean(rbp) AS rbp,
                    ranking_mean(half_life_utility) AS half_life_utility,
                    ranking_mean(r_precision) AS r_precision,
                    ranking_mean(bpref) AS bpref,
                    ranking_mean(interpolated_precision) AS interpolated_precision,
                    ranking_mean(interpolated_average_precision) AS interpolated_average_precision,
                    ranking_mean(spearman) AS spearman,
                    ranking_mean(kendall_tau) AS kendall_tau,
                    ranking_mean(concordant_pairs) AS concordant_pairs,
                    -- end of measures
                FROM _ranking_by_user(
                    rec,
                    truth,
                    _ranking_names(user_col, item_col, score_col, grade_col, system_col, descending),
                    ks,
                    'ranking_summary'
                )
                GROUP BY ALL
            )
        )
        WHERE has_truth
        ORDER BY ranking_system ASC NULLS LAST, k ASC NULLS LAST
    ),

    (
        rec, truth, ks, ties,
        user_col := 'userid', item_col := 'itemid', score_col := 'score', grade_col := NULL, system_col := NULL,
        descending := true
    ) AS TABLE (
        SELECT * EXCLUDE (ranking_system, has_truth, strangers) REPLACE (coalesce(strangers, 0) AS users_without_truth)
        FROM (
            SELECT *, max(users) FILTER (NOT has_truth) OVER (PARTITION BY ranking_system, k) AS strangers
            FROM (
                SELECT
                    COLUMNS(lambda c: lower(c) IN ('system', 'ranking_system', 'has_truth', 'k')),
                    count(*) AS users,
                    count(*) FILTER (n_rec = 0) AS users_without_rec,
                    NULL AS users_without_truth,
                    ranking_mean(COLUMNS(lambda c: lower(c) NOT IN (
                        'system', 'ranking_system', 'has_truth', 'userid', 'k', 'n_rec', 'n_truth')))
                FROM _ranking_ties_by_user(
                    rec,
                    truth,
                    _ranking_names(user_col, item_col, score_col, grade_col, system_col, descending),
                    ks,
                    ties,
                    'ranking_summary'
                )
                GROUP BY ALL
            )
        )
        WHERE has_truth
        ORDER BY ranking_system ASC NULLS LAST, k ASC NULLS LAST
    );
