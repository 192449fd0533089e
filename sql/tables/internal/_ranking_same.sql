-- Internal: whether two ids are the same, as the condition of a join. It is two keys, one of them always NULL.
--
-- one, other: ids, one of each table
-- mixed:      whether they are to be compared as texts, known when the query is planned
-- Returns:    BOOLEAN
-- Example:    SELECT _ranking_same(1, 1, false);
CREATE OR REPLACE TEMP MACRO _ranking_same(one, other, mixed) AS
CASE WHEN mixed THEN NULL ELSE one END IS NOT DISTINCT FROM CASE WHEN mixed THEN NULL ELSE other END
AND CASE WHEN mixed THEN one::VARCHAR END IS NOT DISTINCT FROM CASE WHEN mixed THEN other::VARCHAR END;
