-- C / (C + D), with C and D the pairs in the right and in the wrong order.
--
-- Example: SELECT ranking_concordant_pairs(ranking_judge(['a', 'b', 'c'], ['a', 'b', 'c'], [3, 1, 2]));
--          -- 0.6666666666666666
CREATE OR REPLACE TEMP MACRO _ranking_concordant_pairs(ranking) AS
list_transform(_ranking_pairs(ranking), lambda of: CASE WHEN of.pairs > 0 THEN of.right / of.pairs END)[1]::DOUBLE;
