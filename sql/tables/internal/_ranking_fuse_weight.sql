-- Internal: the weight of a system in a fusion; 0 for one that has no part in it.
--
-- system:           a name, of whatever type
-- weights, systems: as for ranking_fuse
-- Returns:          DOUBLE; NULL where weights leave it out
-- Example:          SELECT _ranking_fuse_weight('bm25', MAP {'bm25': 2}, NULL);
CREATE OR REPLACE TEMP MACRO _ranking_fuse_weight(system, weights, systems) AS
CASE
    -- Systems that are an error leave none out: where no row can be left, DuckDB 2.0.1 drops the error from the plan.
    WHEN len(TRY_CAST(systems AS VARCHAR[])) > 0
        AND NOT coalesce(list_contains(TRY_CAST(systems AS VARCHAR[]), system::VARCHAR), false)
        THEN 0
    WHEN weights IS NULL THEN 1
    ELSE (TRY_CAST(weights AS MAP(VARCHAR, DOUBLE)))[system::VARCHAR]
END::DOUBLE;
