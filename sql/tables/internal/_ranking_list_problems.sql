-- Internal: the problems of lists, of each system. Those of a list as a whole are counted in users of truth.
--
-- rec, truth: names of tables, as query_table takes them
-- names:      what _ranking_names gives
-- ks, max_k:  as for _ranking_list_facts
-- min_grade:  as for ranking_check
-- Returns:    what _ranking_user_problems does
-- Example:    FROM _ranking_list_problems(
--     'rec', 'truth', _ranking_names('userid', 'itemid', 'score', NULL, NULL, true), [5, 10], 10, NULL);
CREATE OR REPLACE TEMP MACRO _ranking_list_problems(rec, truth, names, ks, max_k, min_grade) AS TABLE
SELECT
    one.code, system, one.k, one.count, one.of_row, NULL::VARCHAR AS example, size, NULL::BIGINT AS of,
    NULL::VARCHAR AS severity
FROM (
    SELECT system, at_one.size AS size, unnest([
        {'code': at_one.code, 'k': at_one.k, 'count': n_at, 'of_row': at_row},
        {'code': 'null_user', 'k': NULL, 'count': n_null_user, 'of_row': null_user},
        {'code': 'null_item', 'k': NULL, 'count': n_null_item, 'of_row': null_item},
        {'code': 'null_score', 'k': NULL, 'count': n_null_score, 'of_row': null_score},
        {'code': 'nan_score', 'k': NULL, 'count': n_nan_score, 'of_row': nan_score},
        {'code': 'repeated_item', 'k': deepest, 'count': n_repeated_item, 'of_row': repeated_item},
        {'code': 'equal_scores', 'k': NULL, 'count': n_equal, 'of_row': equal_scores},
        {'code': 'ties_in_top_k', 'k': deepest, 'count': n_tied, 'of_row': ties_in_top_k},
        {'code': 'not_in_truth', 'k': NULL, 'count': n_outside, 'of_row': not_in_truth},
        {'code': 'ties_without_truth', 'k': NULL, 'count': n_ties_outside, 'of_row': ties_outside}
    ]) AS one
    FROM (
        SELECT
            system,
            at_one,
            any_value(deepest) AS deepest,
            count_if(is_judged AND at_one IS NOT NULL)::BIGINT AS n_at,
            min({'user': user, 'item': NULL::VARCHAR}) FILTER (is_judged) AS at_row,
            sum(n * (at_one IS NULL AND userid IS NULL)::BIGINT)::BIGINT AS n_null_user,
            min({'user': 'NULL', 'item': coalesce(first_item, 'NULL')}) FILTER (userid IS NULL) AS null_user,
            sum((n - n_items) * (at_one IS NULL)::BIGINT)::BIGINT AS n_null_item,
            min({'user': coalesce(user, 'NULL'), 'item': 'NULL'}) FILTER (n_items < n) AS null_item,
            sum((n - n_scores) * (at_one IS NULL)::BIGINT)::BIGINT AS n_null_score,
            min({'user': coalesce(user, 'NULL'), 'item': coalesce(without_score, 'NULL')}) FILTER (n_scores < n) AS null_score,
            sum((n_scores - n_ranked) * (at_one IS NULL)::BIGINT)::BIGINT AS n_nan_score,
            min({'user': coalesce(user, 'NULL'), 'item': coalesce(nan_item, 'NULL')}) FILTER (n_ranked < n_scores) AS nan_score,
            sum(n_repeated * (at_one IS NULL AND userid IS NOT NULL)::BIGINT)::BIGINT AS n_repeated_item,
            min({'user': user, 'item': repeated}) FILTER (n_repeated > 0) AS repeated_item,
            count_if(at_one IS NULL AND is_judged AND is_equal)::BIGINT AS n_equal,
            min({'user': user, 'item': NULL}) FILTER (is_judged AND is_equal) AS equal_scores,
            count_if(at_one IS NULL AND is_judged AND is_tied)::BIGINT AS n_tied,
            min({'user': user, 'item': NULL}) FILTER (is_judged AND is_tied) AS ties_in_top_k,
            count_if(at_one IS NULL AND userid IS NOT NULL AND NOT is_judged)::BIGINT AS n_outside,
            min({'user': user, 'item': NULL}) FILTER (NOT is_judged) AS not_in_truth,
            count_if(at_one IS NULL AND userid IS NOT NULL AND NOT is_judged AND has_ties)::BIGINT AS n_ties_outside,
            min({'user': user, 'item': NULL}) FILTER (NOT is_judged AND has_ties) AS ties_outside
        FROM (
            SELECT
                lists.* EXCLUDE (at_k, items),
                truths.userid IS NOT NULL AS is_judged,
                is_equal OR is_tied AS has_ties,
                unnest([NULL] || list_filter(
                    at_k, lambda one: one.code <> 'shorter_than_truth' OR coalesce(n < truths.n_relevant, false))) AS at_one
            FROM _ranking_list_facts(rec, names, ks, max_k) AS lists
            LEFT JOIN _ranking_truth_users(truth, names, min_grade) AS truths
                ON _ranking_same_id(lists.userid, truths.userid)
        )
        GROUP BY system, at_one
    )
)
WHERE one.count > 0;
