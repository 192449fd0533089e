-- Internal: ln(1 + x), to all its digits where x is small, which DuckDB has no function for.
--
-- What rounding makes of 1 + x is y + 1 with another y; ln is as wrong for the one as for the other.
--
-- x:       a DOUBLE of 0 or more
-- Returns: DOUBLE
-- Example: SELECT _ranking_log1p(1e-20);  -- 1e-20
-- Source:  Kahan, in Goldberg (1991), theorem 4
CREATE OR REPLACE TEMP MACRO _ranking_log1p(x) AS
list_transform(
    [(x)::DOUBLE],
    -- One of two by its place in a list, since DuckDB takes longer to plan a CASE.
    lambda _ranking_x: [
        ln(1 + _ranking_x) * (_ranking_x / (1 + _ranking_x - 1)), _ranking_x][1 + (1 + _ranking_x = 1)::INTEGER])[1];
