-- Internal: whether a mean is below 0 by so many standard errors.
--
-- total, squares, n: the sums of the values and of their squares, and how many there are
-- z:                 how many standard errors
-- Returns:           BOOLEAN
-- Example:           SELECT _ranking_is_below(-30, 40, 30, 3.3);  -- true
CREATE OR REPLACE TEMP MACRO _ranking_is_below(total, squares, n, z) AS
coalesce(total < 0 AND total::DOUBLE ** 2 * (n - 1) > z ** 2 * (n * squares::DOUBLE - total::DOUBLE ** 2), false);
