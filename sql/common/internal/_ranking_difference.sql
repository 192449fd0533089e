-- Internal: 1 minus the mean of the cosines of all ordered pairs of different lists.
--
-- lists    how many lists there are
-- total    the sum of the cosines of all ordered pairs, those of a list with itself among them
--
-- Example:
--   SELECT _ranking_difference(2, 3.0);
--   0.5

CREATE OR REPLACE TEMP MACRO _ranking_difference(lists, total) AS
    CASE WHEN lists > 1 THEN least(1, greatest(0, 1 - (total - lists) / (lists * (lists - 1)))) END;
