-- Internal: a power of 2 that is no smaller, by which to divide before an exact sum: what is divided by it loses no
-- digit.
--
-- x:       a DOUBLE of 0 or more
-- Returns: DOUBLE; 1 for 0
-- Example: SELECT _ranking_power_of_2(0.3);  -- 0.5
CREATE OR REPLACE TEMP MACRO _ranking_power_of_2(x) AS
CASE WHEN x > 0 THEN 2 ** least(ceil(log2(x)), 1023) ELSE 1::DOUBLE END;
