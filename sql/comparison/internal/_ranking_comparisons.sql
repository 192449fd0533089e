-- Internal: which systems are compared with which.
--
-- scores:   name of a table, as _ranking_compared takes it
-- baseline: name of a system; NULL for every pair of systems
-- caller:   the function that an error names
-- Returns:  pair (a number), baseline, system
-- Example:  FROM _ranking_comparisons('scores', 'als', 'ranking_compare');
CREATE OR REPLACE TEMP MACRO _ranking_comparisons(scores, baseline, caller) AS TABLE
SELECT unnest(CASE
    WHEN len(systems) < 2 OR systems IS NULL THEN error(concat(
        caller, ': ', source, ' must have two systems or more, got ', coalesce(nullif(_ranking_named(systems), ''), 'none')
    ))
    WHEN baseline IS NOT NULL AND NOT list_contains(systems::VARCHAR[], baseline::VARCHAR) THEN error(concat(
        caller, ': baseline must be a system of ', source, ' (', _ranking_named(systems), '), got ',
        _ranking_named([baseline])
    ))
    WHEN baseline IS NULL AND len(systems) > 20 THEN error(concat(
        caller, ': baseline must be one of the systems where there are more than 20 (', _ranking_named(systems),
        '), got NULL'
    ))
    ELSE list_filter(
        flatten(list_transform(systems, lambda one, i: list_transform(
            systems,
            lambda other, j: CASE
                WHEN CASE
                    WHEN baseline IS NULL THEN i < j
                    ELSE i <> j AND coalesce(one::VARCHAR = baseline::VARCHAR, false)
                END THEN {'pair': 100000 * i + j, 'baseline': one, 'system': other}
            END
        ))),
        lambda two: two IS NOT NULL
    )
END, recursive := true)
FROM (
    SELECT
        list(DISTINCT system ORDER BY system ASC NULLS LAST) AS systems,
        CASE caller WHEN 'ranking_compare' THEN 'rec' ELSE 'by_user' END AS source
    FROM query_table(scores) AS ours
    WHERE choices IS NULL
);
