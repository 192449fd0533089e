-- Computes the coefficient of determination.
--
-- DuckDB's regr_r2 is a different measure: the squared correlation, which ignores offset and scale.
--
-- predicted, actual: predicted and observed number
-- Returns:    DOUBLE: 1 - sum((actual - predicted)^2) / sum((actual - mean(actual))^2). 1 is a perfect prediction, 0 is
--             as good as the mean, and negative values are worse. NULL if all actual numbers are equal, or with fewer
--             than two pairs (1 in Hivemall); NaN for a NaN.
-- Source:     Hivemall, r2
-- Example:  SELECT ranking.r2(predicted, actual) FROM (VALUES (1.0, 1.0), (2.0, 3.0), (6.0, 5.0)) AS t(predicted, actual);
--           -- 0.75

-- var_pop fails on numbers that are not finite, so they are filtered. The numerator includes them.
CREATE OR REPLACE MACRO ranking.r2(predicted, actual) AS
    1 - avg((predicted::DOUBLE - actual::DOUBLE) ** 2)
        / nullif(var_pop(actual::DOUBLE) FILTER (WHERE predicted IS NOT NULL AND isfinite(actual::DOUBLE)), 0);
