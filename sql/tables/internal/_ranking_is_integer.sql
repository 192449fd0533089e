-- Internal: what is an integer.
--
-- type:    name of a type, as typeof gives it
-- Returns: BOOLEAN
-- Example: SELECT _ranking_is_integer('UBIGINT');
CREATE OR REPLACE TEMP MACRO _ranking_is_integer(type) AS
type IN (
    'TINYINT', 'SMALLINT', 'INTEGER', 'BIGINT', 'HUGEINT', 'UTINYINT', 'USMALLINT', 'UINTEGER', 'UBIGINT', 'UHUGEINT'
);
