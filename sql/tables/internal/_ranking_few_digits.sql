-- Internal: say whether a DOUBLE can tell all numbers of this type apart.
--
-- type:    name of a type, as typeof gives it
-- Returns: BOOLEAN
-- Example: SELECT _ranking_few_digits('DECIMAL(9,2)');
CREATE OR REPLACE TEMP MACRO _ranking_few_digits(type) AS
regexp_full_match(type, 'DOUBLE|FLOAT|U?(TINYINT|SMALLINT|INTEGER)|DECIMAL\(([1-9]|1[0-5]),\d+\)');
