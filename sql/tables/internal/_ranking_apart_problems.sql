-- Internal: the systems that have no user of truth in common, for each how many others and the first of them. It needs
-- whole tables. Of more than 100 systems, and where a user has recommendations of all, it looks no further.
--
-- read:    name of a table with what _ranking_ids gives
-- Returns: what _ranking_user_problems does
-- Example: FROM _ranking_apart_problems('read');
CREATE OR REPLACE TEMP MACRO _ranking_apart_problems(read) AS TABLE
SELECT 'systems_apart', system, NULL, len(apart), NULL, list_sort(apart, 'ASC')[1], NULL, n_others, NULL
FROM (
    SELECT
        system,
        len(every_system) - 1 AS n_others,
        list_filter(every_system, lambda other: NOT list_contains(together, other)) AS apart
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
                    SELECT DISTINCT list_sort(list(recs.system), 'ASC') AS systems
                    FROM query_table(read) AS recs
                    JOIN query_table(read) AS truths
                        ON _ranking_same_id(recs.listed_user, truths.known_user)
                    WHERE recs.listed_user IS NOT NULL AND recs.system IS NOT NULL
                    GROUP BY recs.listed_user
                )
            )
            WHERE most < len(every_system) AND len(every_system) <= 100
        )
        GROUP BY system
    )
)
WHERE len(apart) > 0;
