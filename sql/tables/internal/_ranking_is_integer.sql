-- Internal: what is an integer. Used by _ranking_is_number, _ranking_family, _ranking_cuts, _ranking_valid_k,
-- _ranking_checked and the command.
--
-- type:    name of a type, as typeof gives it
-- Returns: BOOLEAN
-- Example: SELECT _ranking_is_integer('UBIGINT');
CREATE OR REPLACE TEMP MACRO _ranking_is_integer(type) AS
type IN (
    'TINYINT', 'SMALLINT', 'INTEGER', 'BIGINT', 'HUGEINT', 'UTINYINT', 'USMALLINT', 'UINTEGER', 'UBIGINT', 'UHUGEINT'
);
