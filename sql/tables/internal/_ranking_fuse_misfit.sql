-- Internal: the error text of a column or argument of ranking_fuse that does not fit; NULL for none.
--
-- rec:                  name of a table, as query_table takes it
-- names:                what _ranking_names gives, with a name for systems and '' for grades
-- method, ..., systems: as for ranking_fuse
-- Returns:              VARCHAR
-- Example:              SELECT _ranking_fuse_misfit(
--     'rec', _ranking_names('userid', 'itemid', 'score', '', 'system', true), 'rrf', NULL, 60, 'min_max', NULL, NULL);
CREATE OR REPLACE TEMP MACRO _ranking_fuse_misfit(rec, names, method, weights, rrf_k, normalize, depth, systems) AS
coalesce(
    _ranking_rec_misfit(rec, names),
    CASE WHEN names['system']::VARCHAR = ''
        THEN 'system_col must name the column of the systems to fuse, got '''''
    END,
    _ranking_option(
        'method', method, 'rrf|combsum|combmnz|borda',
        coalesce(method::VARCHAR IN ('rrf', 'combsum', 'combmnz', 'borda'), false)),
    _ranking_option(
        'normalize', normalize, 'min_max|z_score|sum|none',
        coalesce(normalize::VARCHAR IN ('min_max', 'z_score', 'sum', 'none'), false)),
    _ranking_option(
        'rrf_k', rrf_k, 'a number >= 0',
        coalesce(
            _ranking_is_number(typeof(rrf_k)) AND TRY_CAST(rrf_k AS DOUBLE) >= 0 AND isfinite(TRY_CAST(rrf_k AS DOUBLE)),
            false)),
    _ranking_option(
        'depth', depth, 'an integer >= 1, or NULL for whole lists',
        depth IS NULL OR coalesce(_ranking_is_integer(typeof(depth)) AND TRY_CAST(depth AS HUGEINT) >= 1, false)),
    _ranking_option(
        'systems', systems, 'a list of names, such as [''bm25'', ''vector'']',
        systems IS NULL OR coalesce(len(TRY_CAST(systems AS VARCHAR[])) > 0, false)),
    _ranking_option(
        'weights', weights, 'a MAP of numbers >= 0, such as MAP {''bm25'': 1, ''vector'': 2}',
        weights IS NULL OR coalesce(
            list_bool_and(list_transform(
                map_values(TRY_CAST(weights AS MAP(VARCHAR, DOUBLE))),
                lambda weight: coalesce(weight >= 0 AND isfinite(weight), false))),
            false)),
    CASE WHEN weights IS NOT NULL OR systems IS NOT NULL THEN (
        SELECT coalesce(
            _ranking_fuse_stranger('systems', TRY_CAST(systems AS VARCHAR[]), every_system),
            _ranking_fuse_stranger('weights', map_keys(TRY_CAST(weights AS MAP(VARCHAR, DOUBLE))), every_system),
            'weights must have one of each system (0 leaves it out), got none of '
                || list_filter(
                    list_transform(every_system, lambda system: coalesce(system, 'NULL')),
                    lambda system, place: _ranking_fuse_weight(every_system[place], weights, systems) IS NULL)[1],
            CASE WHEN list_max(list_transform(
                every_system, lambda system: _ranking_fuse_weight(system, weights, systems))) = 0
                THEN 'weights must not all be 0, got ' || _ranking_cut(weights::VARCHAR)
            END)
        FROM (
            SELECT list_sort(list(ranking_system::VARCHAR), 'ASC', 'NULLS LAST') AS every_system
            FROM _ranking_systems(rec, names)
            -- DuckDB runs this even where the CASE above is false, and would read rec for nothing.
            WHERE weights IS NOT NULL OR systems IS NOT NULL
        )
    ) END
);
