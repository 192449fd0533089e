-- Internal: say whether two ids are the same, as the condition of a join. It is two keys, one of them always NULL: as
-- they are, or as texts.
--
-- one, other: ids, one of each table
-- as_texts:   whether they are compared as texts, known when the query is planned
-- Returns:    BOOLEAN
-- Example:    SELECT _ranking_same(1, 1, false);
CREATE OR REPLACE TEMP MACRO _ranking_same(one, other, as_texts) AS
CASE WHEN as_texts THEN NULL ELSE one END IS NOT DISTINCT FROM CASE WHEN as_texts THEN NULL ELSE other END
AND CASE WHEN as_texts THEN one::VARCHAR END IS NOT DISTINCT FROM CASE WHEN as_texts THEN other::VARCHAR END;
