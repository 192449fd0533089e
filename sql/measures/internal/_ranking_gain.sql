-- Internal: the gain of an item by its grade: 2^grade - 1, or the grade itself.
--
-- 2^g - 1 = 2^(g / 2) 2 sinh(g ln(2) / 2), which keeps the digits of a small g.
--
-- grade:   a number above 0
-- gain:    'exp' or 'linear'
-- Returns: DOUBLE
-- Example: SELECT _ranking_gain(3, 'exp');  -- 7.0
CREATE OR REPLACE TEMP MACRO _ranking_gain(grade, gain) AS
CASE
    WHEN gain::VARCHAR = 'linear' THEN grade::DOUBLE
    WHEN grade::DOUBLE < 1 THEN 2 ** (grade::DOUBLE / 2) * 2 * sinh(grade::DOUBLE * ln(2) / 2)
    ELSE 2 ** grade::DOUBLE - 1
END;
