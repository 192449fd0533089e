-- Internal: say whether ids of these two types may be compared.
--
-- one, other: names of types, as typeof gives them
-- Returns:    BOOLEAN
-- Example:    SELECT _ranking_same_type('INTEGER', 'BIGINT');
CREATE OR REPLACE TEMP MACRO _ranking_same_type(one, other) AS
'"NULL"' IN (one, other) OR _ranking_family(one) = _ranking_family(other);
