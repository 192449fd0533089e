-- Internal: say whether items of this type cannot be matched, since they are or hold an ARRAY (DuckDB 2.0.0 mixes up
-- lists of those in a LEFT JOIN, or takes all memory) or an INTERVAL (a month equals thirty days). What stands in
-- quotes is the name of a field or a word of an ENUM.
--
-- type:    name of a type, as typeof gives it
-- Returns: BOOLEAN
-- Example: SELECT _ranking_cannot_match('STRUCT(a INTEGER[2])');
CREATE OR REPLACE TEMP MACRO _ranking_cannot_match(type) AS
regexp_matches(regexp_replace(type, '''[^'']*''|"[^"]*"', '', 'g'), '\[\d+\]|\bINTERVAL\b');
