-- Internal: what is wrong with gains, their sum or their discounts; NULL for nothing.
--
-- gain, discount, base, half_life: as ranking_ndcg takes them
-- highest: the highest of the grades
-- Returns: VARCHAR
-- Example: SELECT _ranking_gain_problem('log', 'log2', NULL, NULL, 1);  -- gain must be exp|linear, got 'log'
CREATE OR REPLACE TEMP MACRO _ranking_gain_problem(gain, discount, base, half_life, highest) AS
coalesce(
    _ranking_option('gain', gain, 'exp|linear', gain::VARCHAR IN ('exp', 'linear')),
    _ranking_option(
        'discount', discount, 'log2|original|half_life', discount::VARCHAR IN ('log2', 'original', 'half_life')),
    _ranking_option(
        'base',
        base,
        'a number > 1',
        base IS NULL OR TRY_CAST(base AS DOUBLE) > 1 AND TRY_CAST(base AS DOUBLE) < 'inf'),
    _ranking_option(
        'half_life',
        half_life,
        'a number > 1',
        half_life IS NULL OR TRY_CAST(half_life AS DOUBLE) > 1 AND TRY_CAST(half_life AS DOUBLE) < 'inf'),
    CASE
        WHEN base IS NOT NULL AND discount::VARCHAR <> 'original'
            THEN 'base must go with discount=original, got it with discount=' || discount::VARCHAR
        WHEN half_life IS NOT NULL AND discount::VARCHAR <> 'half_life'
            THEN 'half_life must go with discount=half_life, got it with discount=' || discount::VARCHAR
        WHEN highest > 1000 AND gain::VARCHAR = 'exp'
            THEN 'a grade must be 1000 or less with gain=exp, got ' || format('{:g}', highest)
    END);
