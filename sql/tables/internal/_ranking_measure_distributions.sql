-- Internal: the distribution of each measure over users.
--
-- by_user: name of a table, as _ranking_by_user gives it
-- Returns: what ranking_distribution does
-- Example: FROM _ranking_measure_distributions('by_user');
CREATE OR REPLACE TEMP MACRO _ranking_measure_distributions(by_user) AS TABLE
SELECT
    * EXCLUDE (ranking_system, sorted),
    -- Of a sorted list, and so the same on any threads.
    list_aggregate(sorted, 'stddev_samp') AS standard_deviation,
    list_aggregate(sorted, 'stddev_samp') / sqrt(users) AS standard_error,
    sorted[1] AS minimum,
    list_aggregate(sorted, 'quantile_cont', 0.05) AS percentile_5,
    list_aggregate(sorted, 'quantile_cont', 0.25) AS quartile_1,
    list_aggregate(sorted, 'quantile_cont', 0.5) AS median,
    list_aggregate(sorted, 'quantile_cont', 0.75) AS quartile_3,
    list_aggregate(sorted, 'quantile_cont', 0.95) AS percentile_95,
    sorted[-1] AS maximum,
    len(list_filter(sorted, lambda one: one = 0)) / nullif(users, 0) AS zeros
FROM (
    SELECT
        COLUMNS(lambda c: lower(c) IN ('system', 'ranking_system', 'k')),
        measure,
        count(value) AS users,
        count(*) - count(value) AS users_undefined,
        ranking_mean(value) AS mean,
        list_sort(list(value + 0) FILTER (value IS NOT NULL), 'ASC') AS sorted  -- + 0, for there is a -0.0
    FROM (
        SELECT * EXCLUDE (has_truth, n_rec, n_truth)
        FROM query_table(by_user) AS users_of
        WHERE has_truth
    )
    UNPIVOT INCLUDE NULLS (
        value FOR measure IN (COLUMNS(lambda c: lower(c) NOT IN ('system', 'ranking_system', 'userid', 'k')))
    )
    GROUP BY ALL
)
ORDER BY ranking_system ASC NULLS LAST, k ASC NULLS LAST, measure ASC NULLS LAST;
