-- Internal: the beginning of a type or a value, short enough for an error of one line. Used wherever one is raised.
--
-- text:    VARCHAR
-- Returns: VARCHAR
-- Example: SELECT _ranking_cut('BIGINT');
CREATE OR REPLACE TEMP MACRO _ranking_cut(text) AS
regexp_replace(coalesce(text, 'NULL'), '(?s)^(.{42}).{4,}$', '\1...');
