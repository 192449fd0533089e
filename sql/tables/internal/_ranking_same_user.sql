-- Internal: say whether two users are the same, as the condition of a join.
--
-- one, other: userids, one of each table
-- Returns:    BOOLEAN
-- Example:    SELECT _ranking_same_user(1, 1);
CREATE OR REPLACE TEMP MACRO _ranking_same_user(one, other) AS
_ranking_same(one, other, _ranking_compare_as_texts([one], [other]));
