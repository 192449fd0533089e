-- The coefficient of determination of a group.
--
-- DuckDB's regr_r2 is something else: the squared correlation, which forgives any offset and scale.
--
-- predicted, actual: the predicted and the observed number
-- Returns:   DOUBLE, 1 - sum((actual - predicted)^2) / sum((actual - mean(actual))^2): 1 for a perfect prediction, 0 for
--            one that is as good as the mean, negative for a worse one. A pair in which either is NULL is skipped. Where
--            all actual numbers are equal it is undefined and NULL (1 in Hivemall); so for a group of one pair or none.
--            NaN in a pair gives NaN, an infinite number NaN or infinity.
-- Source:    Hivemall, r2; https://hivemall.apache.org/userguide/eval/regression.html
-- Example:   SELECT ranking.r2(predicted, actual) FROM (VALUES (1.0, 1.0), (2.0, 3.0), (6.0, 5.0)) AS t(predicted, actual);
--            -- 0.75

-- var_pop refuses numbers that are not finite, so it does not see them; the numerator does.
CREATE OR REPLACE MACRO ranking.r2(predicted, actual) AS
    1 - avg((predicted::DOUBLE - actual::DOUBLE) ** 2)
        / nullif(var_pop(actual::DOUBLE) FILTER (WHERE predicted IS NOT NULL AND isfinite(actual::DOUBLE)), 0);
