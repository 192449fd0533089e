-- Internal: how many scores are below another, those that equal it counted half, times two.
--
-- scores:  LIST of DOUBLE
-- score:   DOUBLE
-- Returns: a number
-- Example: SELECT _ranking_twice_below([1, 2, 2, 3], 2);  -- 4
CREATE OR REPLACE TEMP MACRO _ranking_twice_below(scores, score) AS
list_sum(list_transform(scores, lambda other: (other < score)::TINYINT + (other <= score)::TINYINT));
