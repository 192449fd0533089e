-- Returns the name and version of ranking-udfs.
--
-- Returns: VARCHAR
-- Example: SELECT starts_with(ranking.version(), 'duckdb-ranking-udfs ');  -- true
CREATE OR REPLACE MACRO ranking.version() AS PACK_VERSION;
