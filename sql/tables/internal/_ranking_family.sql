-- Internal: ids of which types may be compared. Integers of all widths are one family, but for UHUGEINT: DuckDB would
-- compare it with a signed integer as DOUBLE. Texts are one too: the words of an ENUM and the text of a UUID are what a
-- VARCHAR would say. Every other type is a family of its own.
--
-- type:    name of a type, as typeof gives it
-- Returns: VARCHAR
-- Example: SELECT _ranking_family('UUID');  -- VARCHAR
CREATE OR REPLACE TEMP MACRO _ranking_family(type) AS
CASE
    WHEN _ranking_is_integer(type) AND type <> 'UHUGEINT' THEN 'INTEGER'
    WHEN type IN ('VARCHAR', 'UUID') OR (starts_with(type, 'ENUM(') AND ends_with(type, ')')) THEN 'VARCHAR'
    ELSE type
END;
