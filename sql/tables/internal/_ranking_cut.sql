-- Internal: the beginning of a type or a value, short enough for an error of one line. Used wherever one is raised.
--
-- text:    VARCHAR
-- Returns: VARCHAR
-- Example: SELECT _ranking_cut('BIGINT');
CREATE OR REPLACE TEMP MACRO _ranking_cut(text) AS
coalesce(CASE WHEN length(text) > 45 THEN text[:42] || '...' ELSE text END, 'NULL');
