-- The share of the pairs of judged items in the top k with different grades that are in the right order.
--
-- C / (C + D), with C and D the pairs in the right and in the wrong order.
--
-- Returns: DOUBLE from 0 to 1; NULL without such a pair
-- Example: SELECT ranking_concordant_pairs(ranking_judge(['a', 'b', 'c'], ['a', 'b', 'c'], [3, 1, 2]));
--          -- 0.6666666666666666
CREATE OR REPLACE TEMP MACRO _ranking_concordant_pairs(ranking) AS
(
    list_transform(_ranking_pairs(ranking), lambda of: CASE WHEN of.pairs > 0 THEN of.right / of.pairs END)[1]
)::DOUBLE;
