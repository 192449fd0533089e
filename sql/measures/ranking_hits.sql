-- The number of relevant items in the top k.
--
-- Returns:   DOUBLE: 0, 1, 2, ...; 0 where truth is empty; NULL for NULL
-- Example:   SELECT ranking_hits(ranking_judge([1, 3, 2, 6], [1, 2, 4]));  -- 2.0
CREATE OR REPLACE TEMP MACRO _ranking_hits(ranking) AS
(ranking.n_hits)::DOUBLE;
