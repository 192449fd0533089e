-- The rank of the first relevant item in the top k.
--
-- Returns:   DOUBLE: 1, 2, 3, ...; NULL without a hit, so also where truth is empty
-- Example:   SELECT ranking_first_hit_rank(ranking_judge([3, 1, 2, 6], [1, 2, 4]));  -- 2.0
CREATE OR REPLACE TEMP MACRO _ranking_first_hit_rank(ranking) AS
(ranking.hits[1])::DOUBLE;
