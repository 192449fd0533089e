-- Internal: which systems are compared with which.
--
-- scores:   name of a table, as _ranking_comparison takes it
-- baseline: name of a system; NULL for every pair of systems
-- caller:   the function that an error names
-- Returns:  pair (a number), baseline, system
-- Example:  FROM _ranking_system_pairs('scores', 'als', 'ranking_compare');
CREATE OR REPLACE TEMP MACRO _ranking_system_pairs(scores, baseline, caller) AS TABLE
SELECT
    100000 * baseline_place + system_place AS pair,
    systems[baseline_place] AS baseline,
    systems[system_place] AS system
FROM (
    SELECT
        systems,
        baseline_place,
        unnest(CASE
            WHEN wanted IS NULL THEN range(baseline_place + 1, len(systems) + 1)
            ELSE list_filter(range(1, len(systems) + 1), lambda place: place <> baseline_place)
        END) AS system_place
    FROM (
        SELECT
            systems,
            wanted,
            unnest(CASE
                WHEN systems IS NULL OR len(systems) < 2 THEN error(concat(
                    caller, ': ', source, ' must have two systems or more, got ',
                    coalesce(nullif(_ranking_list_names(systems), ''), 'none')
                ))
                WHEN wanted IS NULL AND len(systems) > 20 THEN error(concat(
                    caller, ': baseline must be one of the systems where there are more than 20 (',
                    _ranking_list_names(systems), '), got NULL'
                ))
                WHEN wanted IS NULL THEN range(1, len(systems) + 1)
                WHEN list_contains(systems::VARCHAR[], wanted) THEN [list_position(systems::VARCHAR[], wanted)]
                ELSE error(concat(
                    caller, ': baseline must be a system of ', source, ' (', _ranking_list_names(systems), '), got ',
                    _ranking_list_names([wanted])
                ))
            END) AS baseline_place
        FROM (
            SELECT
                list(DISTINCT system ORDER BY system ASC NULLS LAST) AS systems,
                baseline::VARCHAR AS wanted,
                CASE caller WHEN 'ranking_compare_by_user' THEN 'by_user' ELSE 'rec' END AS source
            FROM query_table(scores) AS scores_of
            WHERE compared_measures IS NULL
        )
    )
);
