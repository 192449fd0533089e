-- Internal: the systems that have no user of truth in common, for each how many others and the first of them. It needs
-- whole tables. Of more than 100 systems, and where a user has recommendations of all, it looks no further.
--
-- rec, truth: names of tables, as query_table takes them
-- names:      what _ranking_names gives
-- Returns:    place (among all problems), problem, system, count, example, size
-- Example:    FROM _ranking_apart_problems(
--     'rec', 'truth', _ranking_names('userid', 'itemid', 'score', NULL, NULL, true));
CREATE OR REPLACE TEMP MACRO _ranking_apart_problems(rec, truth, names) AS TABLE
SELECT
    10 AS place,
    'rec: systems without users in common' AS problem,
    system,
    len(apart) AS count,
    list_sort(apart, 'ASC')[1] AS example,
    NULL::BIGINT AS size
FROM (
    SELECT system, list_filter(every_system, lambda other: NOT list_contains(together, other)) AS apart
    FROM (
        SELECT system, any_value(every_system) AS every_system, list_distinct(flatten(list(systems))) AS together
        FROM (
            SELECT systems, every_system, unnest(systems) AS system
            FROM (
                SELECT
                    unnest(list(systems)) AS systems,
                    list_distinct(flatten(list(systems))) AS every_system,
                    max(len(systems)) AS most
                FROM (
                    SELECT DISTINCT list_sort(list(system), 'ASC') AS systems
                    FROM (
                        SELECT DISTINCT system::VARCHAR AS system, userid
                        FROM _ranking_recs(rec, names)
                        WHERE userid IS NOT NULL AND system IS NOT NULL AND _ranking_has(rec, names['system'], 'system')
                    ) AS recs
                    JOIN _ranking_truth_ids(truth, names, 'user') AS truths
                        ON _ranking_same_id(recs.userid, truths.id)
                    GROUP BY recs.userid
                )
            )
            WHERE most < len(every_system) AND len(every_system) <= 100
        )
        GROUP BY system
    )
)
WHERE len(apart) > 0;
