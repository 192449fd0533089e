-- Internal: say whether two users or items are the same, as the condition of a join.
--
-- one, other: ids, one of each table
-- Returns:    BOOLEAN
-- Example:    SELECT _ranking_same_id(1, 1);
CREATE OR REPLACE TEMP MACRO _ranking_same_id(one, other) AS
_ranking_same(one, other, _ranking_compare_as_texts([one], [other]));
