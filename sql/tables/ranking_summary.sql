-- The mean of every measure over the users with truth, for every k.
--
-- rec, truth: tables with userid, itemid, score and userid, itemid [, rel], as for ranking_judged
-- ks:         LIST of cut-offs; NULL among them means the whole list, 0 the empty one
-- Returns:    [system,] k, users (all with truth), users_without_rec (of them; they score as an empty list),
--             users_without_truth (in rec, left out), a DOUBLE per measure with its default options; those that
--             a query does not select are not computed
-- Example:    SELECT k, recall, ndcg FROM ranking_summary('rec', 'truth', [5, 10]);
CREATE OR REPLACE TEMP MACRO ranking_summary(rec, truth, ks) AS TABLE
SELECT * EXCLUDE (ranking_system) REPLACE (
    coalesce(list_filter(
        (
            SELECT list({'system': system, 'users': users})
            FROM (
                SELECT strangers.system, count(*) AS users
                FROM (
                    SELECT DISTINCT system, userid
                    FROM (FROM query_table(rec) AS recs UNION ALL BY NAME SELECT NULL AS system WHERE false)
                    WHERE userid IS NOT NULL
                ) AS strangers
                ANTI JOIN query_table(truth) AS truths
                    ON CASE
                        WHEN _ranking_valid(rec, truth, 'ranking_summary')
                        THEN _ranking_id(strangers.userid, (SELECT userid FROM query_table(truth) AS truths WHERE false))
                    END = _ranking_id(truths.userid, (SELECT userid FROM query_table(rec) AS recs WHERE false))
                GROUP BY strangers.system
            )
        ),
        lambda strangers: strangers.system IS NOT DISTINCT FROM ranking_system
    )[1].users, 0) AS users_without_truth
)
FROM (
    SELECT
        COLUMNS(lambda c: lower(c) IN ('system', 'k')),
        any_value(ranking_system) AS ranking_system,
        count(*) AS users,
        count(*) FILTER (n_rec = 0) AS users_without_rec,
        NULL AS users_without_truth,
        -- measures: generated from the registry, do not edit
        avg(recall) AS recall,
        avg("precision") AS "precision",
        avg(f_measure) AS f_measure,
        avg(hit_rate) AS hit_rate,
        avg(hits) AS hits,
        avg(mrr) AS mrr,
        avg(first_hit_rank) AS first_hit_rank,
        avg(average_precision) AS average_precision,
        avg(auc) AS auc,
        avg(dcg) AS dcg,
        avg(ideal_dcg) AS ideal_dcg,
        avg(ndcg) AS ndcg,
        avg(cumulative_gain) AS cumulative_gain,
        avg(rbp) AS rbp,
        avg(half_life_utility) AS half_life_utility,
        avg(r_precision) AS r_precision,
        avg(bpref) AS bpref,
        avg(interpolated_precision) AS interpolated_precision,
        avg(interpolated_average_precision) AS interpolated_average_precision,
        avg(spearman) AS spearman,
        avg(kendall_tau) AS kendall_tau,
        avg(concordant_pairs) AS concordant_pairs,
        -- end of measures
    FROM _ranking_by_user(rec, truth, ks, 'ranking_summary')
    GROUP BY ALL
)
ORDER BY ranking_system ASC NULLS LAST, k ASC NULLS LAST;
