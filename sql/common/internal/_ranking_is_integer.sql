-- Internal: say whether a type is an integer.
--
-- type:    name of a type, as typeof gives it
-- Returns: BOOLEAN
-- Example: SELECT _ranking_is_integer('UBIGINT');
CREATE OR REPLACE TEMP MACRO _ranking_is_integer(type) AS
regexp_full_match(type, 'U?((TINY|SMALL|BIG|HUGE)INT|INTEGER)');
