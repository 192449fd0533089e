-- Internal: the rows of ranking_check, of the problems of all users. One that is a problem only if all users have it is
-- left out where some do not, and takes the place of that of some users. Where no list has k items, one is short that
-- has fewer than the longest.
--
-- found:   name of a table of what _ranking_user_problems and _ranking_table_problems give; of parts of the users too
-- Returns: problem, system, count, example; in order
-- Example: FROM _ranking_problem_rows('found');
CREATE OR REPLACE TEMP MACRO _ranking_problem_rows(found) AS TABLE
SELECT
    CASE WHEN place = 4 THEN 'no user of truth is in rec' ELSE problem END AS problem,
    system,
    sum(count)::BIGINT AS count,
    min(CASE WHEN place = 4 THEN concat(example, ' in truth, ', coalesce(stranger, 'none'), ' in rec') ELSE example END) AS example
FROM (
    SELECT * REPLACE (
        CASE WHEN place = 31 AND count = n_users THEN 4 ELSE place END AS place,
        CASE
            WHEN place = 19 AND n_short >= n_lists
                THEN regexp_replace(problem, 'fewer than (k = \d+) items', 'fewer items than the longest list, below \1')
            ELSE problem
        END AS problem
    )
    FROM (
        SELECT
            *,
            max(count) FILTER (place = 0 AND problem = 'users in truth') OVER () AS n_users,
            max(count) FILTER (place = 0 AND problem = 'lists for them') OVER ()
                - coalesce(sum(count) FILTER (place = 31) OVER (), 0)
                + coalesce(sum(count) FILTER (place = 32) OVER (), 0) AS n_lists,
            max(count) FILTER (place = 27) OVER () AS n_without_relevant,
            -- Of a system: the users of truth that it leaves out, and those that are not in truth.
            coalesce(max(count) FILTER (place = 31) OVER (PARTITION BY system), 0) AS n_left_out,
            coalesce(max(count) FILTER (place = 32) OVER (PARTITION BY system), 0) AS n_strangers,
            max(example) FILTER (place = 32) OVER (PARTITION BY system) AS stranger,
            -- At a k: the lists that are shorter, and the longest of them.
            sum(count) OVER (PARTITION BY place, problem) AS n_short,
            max(size) OVER (PARTITION BY place, problem) AS longest
        FROM (
            SELECT place, problem, system, size, sum(count)::BIGINT AS count, min(example) AS example
            FROM query_table(found)
            GROUP BY place, problem, system, size
        )
    )
    WHERE CASE place
        WHEN 0 THEN false
        WHEN 6 THEN n_without_relevant = n_users
        WHEN 7 THEN count = n_users - n_left_out + n_strangers AND example IS NOT NULL
        WHEN 19 THEN n_short < n_lists OR size < longest
        WHEN 27 THEN count < n_users
        ELSE true
    END
)
GROUP BY place, problem, system
ORDER BY
    place ASC NULLS LAST,
    length(problem) ASC NULLS LAST,  -- k = 5 before k = 10
    problem ASC NULLS LAST,
    system ASC NULLS FIRST;
