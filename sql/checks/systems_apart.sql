-- rec: systems without common {units}
-- A paired comparison of these systems has no users with both lists. The example is the first of the others. The search stops if
-- there are more than 100 systems, or if a user has recommendations from all.
-- Place: 150; Severity: error; Of: other systems
-- Write: compare systems with recommendations for the same {units}
SELECT system, len(apart) AS count, list_min(apart) AS example, len(every_system) - 1 AS of
FROM (
    SELECT system, list_filter(every_system, lambda other: NOT list_contains(together, other)) AS apart, every_system
    FROM (
        SELECT system, every_system, list_distinct(flatten(list(one))) AS together
        FROM (
            SELECT one, unnest(one) AS system, every_system
            FROM (
                SELECT unnest(list(named)) AS one, list_distinct(flatten(list(named))) AS every_system
                FROM (
                    SELECT DISTINCT list_sort(
                        list_transform(list_filter(systems, lambda one: one.name IS NOT NULL), lambda one: one.name),
                        'ASC') AS named
                    FROM distinct_ids
                    WHERE name = {{ of.user | literal }} AND is_known)
                WHERE len(named) > 0
                HAVING max(len(named)) < len(every_system) AND len(every_system) <= 100))
        GROUP BY system, every_system))
