-- Internal: the mean of each measure over users.
--
-- by_user: name of a table, as _ranking_by_user gives it
-- Returns: what ranking_summary does
-- Example: FROM _ranking_measure_means('by_user');
CREATE OR REPLACE TEMP MACRO _ranking_measure_means(by_user) AS TABLE
SELECT * EXCLUDE (ranking_system, has_truth, strangers) REPLACE (coalesce(strangers, 0) AS users_without_truth)
FROM (
    SELECT *, max(users) FILTER (NOT has_truth) OVER (PARTITION BY ranking_system, k) AS strangers
    FROM (
        SELECT
            COLUMNS(lambda c: lower(c) IN ('system', 'ranking_system', 'has_truth', 'k')),
            count(*) AS users,
            count(*) FILTER (n_rec = 0) AS users_without_rec,
            NULL AS users_without_truth,
            count(*) FILTER (n_truth = 0) AS users_without_relevant,
            ranking_mean(COLUMNS(lambda c: lower(c) NOT IN (
                'system', 'ranking_system', 'has_truth', 'userid', 'k', 'n_rec', 'n_truth')))
        FROM query_table(by_user) AS users_of
        GROUP BY ALL
    )
)
WHERE has_truth
ORDER BY ranking_system ASC NULLS LAST, k ASC NULLS LAST;
