-- Internal: the error text of a bad gain or discount option; NULL for none. (The bounds of base and half_life are the
-- DOUBLEs next to 1 and to infinity.)
--
-- gain, discount, base, half_life: as ranking_ndcg takes them
-- Returns: VARCHAR
-- Example: SELECT _ranking_gain_problem('log', 'log2', NULL, NULL);  -- gain must be exp|linear, got 'log'
CREATE OR REPLACE TEMP MACRO _ranking_gain_problem(gain, discount, base, half_life) AS
CASE
    WHEN gain::VARCHAR IN ('exp', 'linear') IS NOT TRUE THEN _ranking_option('gain', gain, 'exp|linear', false)
    WHEN discount::VARCHAR IN ('log2', 'original', 'half_life') IS NOT TRUE
        THEN _ranking_option('discount', discount, 'log2|original|half_life', false)
    WHEN base IS NOT NULL
        AND TRY_CAST(base AS DOUBLE) BETWEEN 1.0000000000000002 AND 1.7976931348623157e308 IS NOT TRUE
        THEN _ranking_option('base', base, 'a number > 1', false)
    WHEN half_life IS NOT NULL
        AND TRY_CAST(half_life AS DOUBLE) BETWEEN 1.0000000000000002 AND 1.7976931348623157e308 IS NOT TRUE
        THEN _ranking_option('half_life', half_life, 'a number > 1', false)
    WHEN base IS NOT NULL AND discount::VARCHAR <> 'original'
        THEN 'base must go with discount=original, got it with discount=' || discount::VARCHAR
    WHEN half_life IS NOT NULL AND discount::VARCHAR <> 'half_life'
        THEN 'half_life must go with discount=half_life, got it with discount=' || discount::VARCHAR
END;
