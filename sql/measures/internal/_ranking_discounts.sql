-- Internal: the discount factor of a gain at each rank. DuckDB may compute it before it is seen that a base or a rank
-- is out of bounds: then it must not fail.
--
-- ranks:     LIST of ranks
-- discount:  'log2', 'original' or 'half_life'
-- base:      the number that discount=original goes with; NULL for 2
-- half_life: the number that discount=half_life goes with; NULL for 5
-- Returns:   DOUBLE[]
-- Example:   SELECT _ranking_discounts([1, 3], 'log2', NULL, NULL);  -- [1.0, 0.5]
CREATE OR REPLACE TEMP MACRO _ranking_discounts(ranks, discount, base, half_life) AS
list_transform(ranks, lambda _ranking_rank: CASE discount::VARCHAR
    WHEN 'original'
        THEN 1 / greatest(
            1,
            log(
                greatest(coalesce(TRY_CAST(base AS DOUBLE), 2), 1.0000000000000002),
                greatest(_ranking_rank::DOUBLE, 1)))
    WHEN 'half_life' THEN 2 ** ((1 - _ranking_rank::DOUBLE) / (coalesce(TRY_CAST(half_life AS DOUBLE), 5) - 1))
    ELSE ln(2) / ln(_ranking_rank::DOUBLE + 1)  -- Hivemall's order, for the same last digit
END);
