-- Internal: the rows of ranking_check, of the problems of all users. Where no list has k items, one is short that has
-- fewer than the longest.
--
-- found:     name of a table of what _ranking_user_problems gives, with of and severity
-- names:     what _ranking_names gives
-- min_grade: as for ranking_check
-- Returns:   severity, system, problem, code, k, example, count, of; in order
-- Example:   FROM _ranking_problem_rows(
--     'found', _ranking_names('userid', 'itemid', 'score', NULL, NULL, true), NULL);
CREATE OR REPLACE TEMP MACRO _ranking_problem_rows(found, names, min_grade) AS TABLE
SELECT
    CASE
        WHEN severity IS NOT NULL THEN severity
        WHEN coalesce(n / of, 1) >= wrong_from THEN 'wrong'
        WHEN coalesce(n / of, 1) >= doubtful_from THEN 'doubtful'
        ELSE 'info'
    END AS severity,
    system,
    CASE
        WHEN code = 'unfit_column' THEN regexp_replace(split_part(example, ', got ', 1), '^(.{57}).{4,}$', '\1...')
        WHEN n_short >= n_lists THEN 'rec: users with fewer items than the longest list'
        ELSE replace(replace(replace(replace(replace(replace(
            problem,
            '{user}', coalesce(names['user']::VARCHAR, 'userid')),
            '{item}', coalesce(names['item']::VARCHAR, 'itemid')),
            '{score}', coalesce(names['score']::VARCHAR, 'score')),
            '{grade}', coalesce(names['grade']::VARCHAR, 'rel')),
            '{least}', coalesce(format('{:g}', TRY_CAST(min_grade AS DOUBLE)) || ' or above', 'above 0')),
            'k = {k}', coalesce('k = ' || k, 'any k'))
    END AS problem,
    code,
    k,
    CASE
        WHEN strpos(example, ', got ') > 61 AND code = 'unfit_column' THEN example
        WHEN code IN ('unfit_column', 'no_time') THEN split_part(example, ', got ', 2)
        ELSE example
    END AS example,
    n AS count,
    of
FROM (
    SELECT
        place, code, problem, wrong_from, doubtful_from, system, k, n_lists,
        sum(count)::BIGINT AS n,
        max(severity) AS severity,
        any_value(n_short) FILTER (code = 'short_lists') AS n_short,
        max(coalesce(of, CASE counted
            WHEN 'users of truth' THEN n_users
            WHEN 'users of rec' THEN n_users - n_left_out + n_strangers
            WHEN 'users of rec not in truth' THEN n_strangers
            WHEN 'rows of rec' THEN n_rows
            WHEN 'rows of truth' THEN n_truth_rows
        END))::BIGINT AS of,
        min(nullif(concat(
            example,
            coalesce(names['user']::VARCHAR, 'userid') || ' ' || of_row.user,
            ', ' || coalesce(names['item']::VARCHAR, 'itemid') || ' ' || of_row.item,
            CASE WHEN code = 'no_common_user'
                THEN ' in truth, ' || coalesce(coalesce(names['user']::VARCHAR, 'userid') || ' ' || stranger, 'none') || ' in rec'
            END), '')) AS example
    FROM (
        SELECT
            * EXCLUDE (code),
            CASE
                WHEN code = 'not_in_rec' AND count = max(count) FILTER (code = 'users') OVER () THEN 'no_common_user'
                ELSE code
            END AS code,
            max(count) FILTER (code = 'users') OVER () AS n_users,
            max(count) FILTER (code = 'truth rows') OVER () AS n_truth_rows,
            max(count) FILTER (code = 'rows') OVER (PARTITION BY system) AS n_rows,
            max(count) FILTER (code = 'lists') OVER () - coalesce(sum(count) FILTER (code = 'not_in_rec') OVER (), 0) AS n_lists,
            coalesce(max(count) FILTER (code = 'no_relevant_item') OVER (), 0) AS n_without_relevant,
            -- Of a system: the users of truth that it leaves out, and those that are not in truth.
            coalesce(max(count) FILTER (code = 'not_in_rec') OVER (PARTITION BY system), 0) AS n_left_out,
            coalesce(max(count) FILTER (code = 'not_in_truth') OVER (PARTITION BY system), 0) AS n_strangers,
            max(of_row.user) FILTER (code = 'not_in_truth') OVER (PARTITION BY system) AS stranger,
            -- At a k: the lists that are shorter, and the longest of them.
            sum(count) OVER (PARTITION BY code, k) AS n_short,
            max(size) OVER (PARTITION BY code, k) AS longest
        FROM query_table(found)
    )
    JOIN ranking_problem_codes() USING (code)
    WHERE CASE code
        WHEN 'nothing_relevant' THEN n_without_relevant = n_users
        WHEN 'nothing_but_hits' THEN count = n_users
        WHEN 'no_relevant_item' THEN count < n_users
        WHEN 'short_lists' THEN n_short < n_lists OR size < longest
        ELSE true
    END
    GROUP BY place, code, problem, wrong_from, doubtful_from, system, k, n_lists, CASE WHEN code = 'unfit_column' THEN example END
    HAVING sum(count) > 0
)
ORDER BY place ASC NULLS LAST, k ASC NULLS LAST, problem ASC NULLS LAST, system ASC NULLS FIRST;
