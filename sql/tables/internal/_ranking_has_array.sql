-- Internal: whether values of this type hold an ARRAY, at any depth. DuckDB 2.0.0 mixes up lists of those in a
-- LEFT JOIN, or takes all memory. Names in quotes (of fields, of an ENUM's words) may say anything. Used by
-- _ranking_misfits.
--
-- type:    name of a type, as typeof gives it
-- Returns: BOOLEAN
-- Example: SELECT _ranking_has_array('STRUCT(a INTEGER[2])');
CREATE OR REPLACE TEMP MACRO _ranking_has_array(type) AS
regexp_matches(regexp_replace(type, '''[^'']*''|"[^"]*"', '', 'g'), '\[\d+\]');
