-- How the users fare: the distribution of every measure over the users with truth, for every k.
--
-- rec, truth: tables with userid, itemid, score and userid, itemid [, rel], as for ranking_judged
-- ks:         LIST of cut-offs; NULL among them means the whole list, 0 the empty one
-- user_col, ..., descending: as for ranking_judged
-- Returns:    [system,] k, measure, users (of a value), users_undefined (of NULL), mean, standard_deviation (of the
--             sample), standard_error (of the mean), minimum, percentile_5, quartile_1, median, quartile_3,
--             percentile_95, maximum, zeros (the share of users whose value is 0); quantiles are interpolated
--             (Hyndman and Fan 1996, type 7)
-- With ties := 'expected' in place of 'item', of the measures' expected values, as for ranking_by_user
-- Example:    SELECT measure, mean, median, zeros FROM ranking_distribution('rec', 'truth', [10]);
CREATE OR REPLACE TEMP MACRO ranking_distribution
    (
        rec, truth, ks,
        user_col := 'userid', item_col := 'itemid', score_col := 'score', grade_col := NULL, system_col := NULL,
        descending := true
    ) AS TABLE (
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
                list_sort(list(value) FILTER (value IS NOT NULL), 'ASC') AS sorted
            FROM (
                SELECT * EXCLUDE (has_truth, n_rec, n_truth)
                FROM _ranking_by_user(
                    rec,
                    truth,
                    _ranking_names(user_col, item_col, score_col, grade_col, system_col, descending),
                    ks,
                    'ranking_distribution'
                )
                WHERE has_truth
            )
            UNPIVOT INCLUDE NULLS (
                value FOR measure IN (COLUMNS(lambda c: lower(c) NOT IN ('system', 'ranking_system', 'userid', 'k')))
            )
            GROUP BY ALL
        )
        ORDER BY ranking_system ASC NULLS LAST, k ASC NULLS LAST, measure ASC
    ),

    (
        rec, truth, ks, ties,
        user_col := 'userid', item_col := 'itemid', score_col := 'score', grade_col := NULL, system_col := NULL,
        descending := true
    ) AS TABLE (
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
                list_sort(list(value) FILTER (value IS NOT NULL), 'ASC') AS sorted
            FROM (
                SELECT * EXCLUDE (has_truth, n_rec, n_truth)
                FROM _ranking_ties_by_user(
                    rec,
                    truth,
                    _ranking_names(user_col, item_col, score_col, grade_col, system_col, descending),
                    ks,
                    ties,
                    'ranking_distribution'
                )
                WHERE has_truth
            )
            UNPIVOT INCLUDE NULLS (
                value FOR measure IN (COLUMNS(lambda c: lower(c) NOT IN ('system', 'ranking_system', 'userid', 'k')))
            )
            GROUP BY ALL
        )
        ORDER BY ranking_system ASC NULLS LAST, k ASC NULLS LAST, measure ASC
    );
