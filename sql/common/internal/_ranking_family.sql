-- Internal: the family of a type: ids of one family may be compared. Integers of all widths are one family, but for
-- UHUGEINT: DuckDB would compare it with a signed integer as DOUBLE. Texts are one too: the words of an ENUM and the
-- text of a UUID are what a VARCHAR would say. Every other type is a family of its own.
--
-- type:    name of a type, as typeof gives it
-- Returns: VARCHAR
-- Example: SELECT _ranking_family('UUID');  -- VARCHAR
CREATE OR REPLACE TEMP MACRO _ranking_family(type) AS
regexp_replace(
    regexp_replace(type, '^(U?(TINY|SMALL|BIG)INT|UINTEGER|HUGEINT)$', 'INTEGER'),
    '(?s)^(UUID|ENUM\(.*\))$',
    'VARCHAR');
