-- Internal: say whether a type is a number, as a score or a grade has to be (a grade may also be BOOLEAN). A column of
-- nothing but NULL is one. BIGNUM is none: it is to be cast to DOUBLE.
--
-- type:    name of a type, as typeof gives it
-- Returns: BOOLEAN
-- Example: SELECT _ranking_is_number('DECIMAL(18,3)');
CREATE OR REPLACE TEMP MACRO _ranking_is_number(type) AS
_ranking_is_integer(type) OR regexp_full_match(type, 'FLOAT|DOUBLE|"NULL"|DECIMAL\(.*');
