-- Internal: whether a DOUBLE can tell all numbers of this type apart.
--
-- type:    name of a type, as typeof gives it
-- Returns: BOOLEAN
-- Example: SELECT _ranking_few_digits('DECIMAL(9,2)');
CREATE OR REPLACE TEMP MACRO _ranking_few_digits(type) AS
type IN ('DOUBLE', 'FLOAT', 'TINYINT', 'SMALLINT', 'INTEGER', 'UTINYINT', 'USMALLINT', 'UINTEGER')
OR regexp_full_match(type, 'DECIMAL\(([1-9]|1[0-5]),\d+\)');
