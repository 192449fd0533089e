-- Internal: ln(1 + x), to all its digits where x is small, which DuckDB has no function for.
--
-- What rounding makes of 1 + x is y + 1 with another y; ln is as wrong for the one as for the other.
--
-- x:       a DOUBLE of 0 or more
-- Returns: DOUBLE
-- Example: SELECT _ranking_log1p(1e-20);  -- 1e-20
-- Source:  Kahan, in Goldberg (1991), theorem 4
CREATE OR REPLACE TEMP MACRO _ranking_log1p(x) AS
CASE WHEN 1 + x = 1 THEN x ELSE ln(1 + x) * (x / (1 + x - 1)) END;
