-- Internal: the problems of users, each for itself: where the tables are parted by user, the counts of the parts add up
-- to those of the whole, as long as each part of rec knows all systems.
--
-- rec, truth: names of tables, as query_table takes them
-- names:      what _ranking_names gives
-- ks, max_k:  as for _ranking_rec_problems
-- min_grade:  as for ranking_check
-- Returns:    place (among all problems), problem, system, count, example, size: rows to add up; and at place 0 how many
--             users there are in truth, and lists if each system has one for each of them
-- Example:    FROM _ranking_user_problems(
--     'rec', 'truth', _ranking_names('userid', 'itemid', 'score', NULL, NULL, true), [5, 10], 10);
CREATE OR REPLACE TEMP MACRO _ranking_user_problems(rec, truth, names, ks, max_k, min_grade := NULL) AS TABLE
SELECT unnest(
    coalesce(
        CASE
            WHEN list_count(ks) < len(ks)
                THEN list_filter(problems, lambda one: one.place <> 20 OR coalesce(one.size < n_relevant, false))
            ELSE problems
        END,
        [])
    || coalesce(truth_problems, [])
    || CASE
        WHEN listed IS NULL AND judged IS NULL THEN []
        WHEN judged IS NULL THEN list_transform(
            systems,
            lambda one: _ranking_problem(
                32, 'users in rec that are not in truth', one, 1, concat(names['user'], ' ', listed::VARCHAR)))
        WHEN systems IS NULL OR len(systems) < len(every_system) THEN
            list_transform(
                list_filter(
                    every_system,
                    -- A system may be NULL.
                    lambda one: NOT coalesce(
                        list_contains(
                            list_transform(systems, lambda other: concat(other, '=', other IS NULL)),
                            concat(one, '=', one IS NULL)),
                        false)),
                lambda one: _ranking_problem(
                    31, 'users in truth that are not in rec', one, 1, concat(names['user'], ' ', judged::VARCHAR)))
            || CASE WHEN len(systems) = 1 THEN [_ranking_problem(
                33, 'users with recommendations of one system only', systems[1], 1, concat(names['user'], ' ', judged::VARCHAR))]
                ELSE []
            END
        ELSE []
    END,
    recursive := true)
FROM (
    SELECT
        lists.userid AS listed,
        truths.userid AS judged,
        lists.systems,
        lists.problems,
        truths.problems AS truth_problems,
        truths.n_relevant,
        every.systems AS every_system
    FROM (
        SELECT userid, list(system) AS systems, flatten(list(problems)) AS problems
        FROM _ranking_rec_problems(rec, names, ks, max_k)
        GROUP BY userid
    ) AS lists
    FULL JOIN _ranking_truth_problems(truth, names, min_grade) AS truths
        ON _ranking_same_id(lists.userid, truths.userid)
    CROSS JOIN (SELECT list(ranking_system::VARCHAR) AS systems FROM _ranking_systems(rec, names)) AS every
)
UNION ALL
SELECT 0, 'users in truth', NULL, count(*), NULL, NULL
FROM _ranking_truth_ids(truth, names, 'user')
UNION ALL
SELECT 0, 'lists for them', NULL, count(*), NULL, NULL
FROM _ranking_truth_ids(truth, names, 'user')
CROSS JOIN _ranking_systems(rec, names);
