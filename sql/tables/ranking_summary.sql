-- The mean of every measure over the users with truth, for every k.
--
-- rec, truth: tables with userid, itemid, score and userid, itemid [, rel], as for ranking_judged
-- ks:         LIST of cut-offs; NULL among them means the whole list, 0 the empty one
-- Returns:    [system,] k, users (all with truth), users_without_rec (of them; they score as an empty list),
--             users_without_truth (in rec, left out), a DOUBLE per measure with its default options; those that
--             a query does not select are not computed
-- Example:    SELECT k, recall, ndcg FROM ranking_summary('rec', 'truth', [5, 10]);
CREATE OR REPLACE TEMP MACRO ranking_summary(rec, truth, ks) AS TABLE
WITH ranking_strangers AS (
    SELECT system, count(*) AS users
    FROM (SELECT DISTINCT system, userid FROM (FROM query_table(rec) UNION ALL BY NAME SELECT NULL AS system WHERE false)) AS recs
    WHERE userid IS NOT NULL AND userid NOT IN (SELECT userid FROM query_table(truth) WHERE userid IS NOT NULL)
    GROUP BY system
),

ranking_means AS (
    SELECT
        system AS ranking_system,
        k,
        count(*) AS users,
        count(*) FILTER (n_rec = 0) AS users_without_rec,
        coalesce(list_filter(
            (SELECT list({'system': system, 'users': users}) FROM ranking_strangers),
            lambda strangers: strangers.system IS NOT DISTINCT FROM rankings.system
        )[1].users, 0) AS users_without_truth,
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
    FROM (FROM ranking_by_user(rec, truth, ks) UNION ALL BY NAME SELECT NULL AS system WHERE false) AS rankings
    GROUP BY system, k
)

SELECT systems.* EXCLUDE (ranking_system), means.* EXCLUDE (ranking_system)
FROM ranking_systems(rec) AS systems
JOIN ranking_means AS means ON means.ranking_system IS NOT DISTINCT FROM systems.ranking_system
ORDER BY systems.ranking_system, means.k;
