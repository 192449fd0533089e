-- Internal: the problems of truth.
--
-- truth:               name of a table, as query_table takes it
-- names:               what _ranking_names gives
-- min_grade, unjudged: as for ranking_check
-- Returns:             what _ranking_user_problems does
-- Example:             FROM _ranking_truth_problems(
--     'truth', _ranking_names('userid', 'itemid', 'score', NULL, NULL, true), NULL, 'miss');
CREATE OR REPLACE TEMP MACRO _ranking_truth_problems(truth, names, min_grade, unjudged) AS TABLE
SELECT one.code, NULL::VARCHAR AS system, NULL::BIGINT AS k, one.count, one.of_row, one.example, NULL::BIGINT AS size,
    NULL::BIGINT AS of, NULL::VARCHAR AS severity
FROM (
    SELECT unnest([
        {'code': 'users', 'count': n_users, 'of_row': NULL, 'example': NULL},
        {'code': 'truth rows', 'count': n, 'of_row': NULL, 'example': NULL},
        {'code': 'nothing_relevant', 'count': n_without_rows, 'of_row': NULL, 'example': highest},
        {'code': 'nothing_but_hits', 'count': n_of_hits, 'of_row': NULL, 'example': NULL},
        {'code': 'null_truth_user', 'count': n_null_user, 'of_row': null_user, 'example': NULL},
        {'code': 'null_truth_item', 'count': n_null_item, 'of_row': null_item, 'example': NULL},
        {'code': 'null_grade', 'count': n_null_grade, 'of_row': null_grade, 'example': NULL},
        {'code': 'infinite_grade', 'count': n_infinite, 'of_row': infinite, 'example': NULL},
        {'code': 'negative_grade', 'count': n_negative, 'of_row': negative, 'example': NULL},
        {'code': 'repeated_truth', 'count': n_repeated, 'of_row': repeated, 'example': NULL},
        {'code': 'no_relevant_item', 'count': n_without, 'of_row': without, 'example': NULL}
    ]) AS one
    FROM (
        SELECT
            count(userid) AS n_users,
            sum(n)::BIGINT AS n,
            sum(n * (highest IS NOT NULL AND n_relevant = 0)::BIGINT)::BIGINT AS n_without_rows,
            min(grade_name || ' ' || highest) AS highest,
            count_if(userid IS NOT NULL AND n_judged = n_relevant AND unjudged::VARCHAR = 'skip')::BIGINT AS n_of_hits,
            sum(n * (userid IS NULL)::BIGINT)::BIGINT AS n_null_user,
            min({'user': 'NULL', 'item': coalesce(first_item, 'NULL')}) FILTER (userid IS NULL) AS null_user,
            sum(n - n_items)::BIGINT AS n_null_item,
            min({'user': user, 'item': 'NULL'}) FILTER (n_items < n) AS null_item,
            sum(n_without_grade)::BIGINT AS n_null_grade,
            min({'user': user, 'item': coalesce(without_grade, 'NULL')}) FILTER (n_without_grade > 0) AS null_grade,
            sum(n_infinite)::BIGINT AS n_infinite,
            min({'user': user, 'item': infinite['item']::VARCHAR || ', ' || grade_name || ' ' || infinite['rel']::VARCHAR}) FILTER (n_infinite > 0)
                AS infinite,
            sum(n_negative)::BIGINT AS n_negative,
            min({'user': user, 'item': negative['item']::VARCHAR || ', ' || grade_name || ' ' || negative['rel']::VARCHAR}) FILTER (n_negative > 0)
                AS negative,
            sum(n_repeated)::BIGINT AS n_repeated,
            min({'user': user, 'item': repeated}) FILTER (n_repeated > 0) AS repeated,
            count_if(userid IS NOT NULL AND n_relevant = 0)::BIGINT AS n_without,
            min({'user': user, 'item': NULL::VARCHAR}) FILTER (userid IS NOT NULL AND n_relevant = 0) AS without
        FROM (
            SELECT
                * EXCLUDE (items),
                coalesce(names['grade']::VARCHAR, 'rel') AS grade_name,
                coalesce(userid::VARCHAR, 'NULL') AS user,
                len(items) - list_unique(items) AS n_repeated,
                CASE WHEN _ranking_has_repeats(items) THEN _ranking_repeated_item(items)::VARCHAR END AS repeated
            FROM (
                SELECT
                    userid,
                    count(*) AS n,
                    count(itemid) AS n_items,
                    count_if(has_grade AND rel IS NULL)::BIGINT AS n_without_grade,
                    count_if(NOT isfinite(grade))::BIGINT AS n_infinite,
                    count_if(isfinite(grade) AND grade < 0)::BIGINT AS n_negative,
                    count_if(itemid IS NOT NULL AND grade >= _ranking_lowest_grade(min_grade))::BIGINT AS n_relevant,
                    count_if(itemid IS NOT NULL AND grade IS NOT NULL)::BIGINT AS n_judged,
                    max(grade) AS highest,
                    min(itemid) FILTER (userid IS NULL)::VARCHAR AS first_item,
                    min(itemid) FILTER (has_grade AND rel IS NULL)::VARCHAR AS without_grade,
                    min({'item': itemid, 'rel': rel}) FILTER (NOT isfinite(grade)) AS infinite,
                    min({'item': itemid, 'rel': rel}) FILTER (isfinite(grade) AND grade < 0) AS negative,
                    list(itemid) FILTER (userid IS NOT NULL AND itemid IS NOT NULL) AS items
                FROM (
                    SELECT *, CASE WHEN has_grade THEN TRY_CAST(rel AS DOUBLE) ELSE 1 END AS grade
                    FROM (SELECT *, _ranking_has(truth, names['grade'], 'rel') AS has_grade FROM _ranking_truths(truth, names))
                )
                GROUP BY userid
            )
        )
    )
)
WHERE one.count > 0;
