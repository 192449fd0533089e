-- Internal: the users of truth whom not all systems serve.
--
-- read:    name of a table with what _ranking_ids gives
-- Returns: what _ranking_user_problems does; among the rows how many lists there are if each system serves each user
-- Example: FROM _ranking_served_problems('read');
CREATE OR REPLACE TEMP MACRO _ranking_served_problems(read) AS TABLE
SELECT code, system, NULL::BIGINT AS k, count(*) AS count, min(user) AS of_row, NULL::VARCHAR AS example, NULL::BIGINT AS size,
    NULL::BIGINT AS of, NULL::VARCHAR AS severity
FROM (
    SELECT
        {'user': id::VARCHAR, 'item': NULL::VARCHAR} AS user,
        unnest(
            list_transform(every_system, lambda one: {'code': 'lists', 'system': NULL::VARCHAR})
            || list_transform(
                -- A system may be NULL.
                list_filter(every_system, lambda one: NOT list_contains(served, {'name': one})),
                lambda one: {'code': 'not_in_rec', 'system': one})
            || list_transform(
                list_filter(served, lambda one: len(served) = 1 AND len(every_system) > 1),
                lambda one: {'code': 'one_system_only', 'system': one.name}),
            recursive := true)
    FROM (
        SELECT
            truths.known_user AS id,
            coalesce(list({'name': recs.system}) FILTER (recs.listed_user IS NOT NULL), []) AS served
        FROM query_table(read) AS truths
        LEFT JOIN query_table(read) AS recs
            ON _ranking_same_id(recs.listed_user, truths.known_user)
        WHERE truths.known_user IS NOT NULL
        GROUP BY truths.known_user
    )
    CROSS JOIN (SELECT list(system) AS every_system FROM query_table(read) WHERE is_system)
)
GROUP BY code, system;
