-- The distribution of every measure over the users with truth, for every k.
--
-- rec, truth: tables with userid, itemid, score and userid, itemid [, rel], as for ranking_judged
-- ks, measures: as for ranking_by_user
-- ties:       'item' or 'expected', as for ranking_by_user
-- user_col, ..., descending, min_grade, unjudged: as for ranking_judged
-- Returns:    [system,] k, measure, users (of a value), users_undefined (of NULL), mean, standard_deviation (of the
--             sample), standard_error (of the mean), minimum, percentile_5, quartile_1, median, quartile_3,
--             percentile_95, maximum, zeros (the share of users whose value is 0); quantiles are interpolated
--             (Hyndman and Fan 1996, type 7), and may differ in the last digit between versions of DuckDB
-- Errors:     as for ranking_by_user
-- Example:    SELECT system, mean, median, zeros
--             FROM ranking_distribution('rec', 'truth', [10]) WHERE measure = 'ndcg';
CREATE OR REPLACE TEMP MACRO ranking_distribution(
    rec, truth, ks := NULL, ties := 'item',
    user_col := 'userid', item_col := 'itemid', score_col := 'score', grade_col := NULL, system_col := NULL,
    descending := true, min_grade := NULL, unjudged := 'miss', measures := NULL
) AS TABLE
WITH _ranking_values AS NOT MATERIALIZED (
    FROM _ranking_users(
        rec,
        truth,
        _ranking_names(user_col, item_col, score_col, grade_col, system_col, descending),
        ks,
        measures,
        NULL,
        ties,
        min_grade,
        unjudged,
        'ranking_distribution'
    )
)
FROM _ranking_measure_distributions('_ranking_values');
