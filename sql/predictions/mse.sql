-- Computes the mean squared error.
--
-- predicted, actual: predicted and observed number
-- Returns:    DOUBLE, 0 or more: the mean of (predicted - actual)^2. NULL without a pair (0 in Hivemall), NaN for a NaN.
-- Source:     Hivemall, mse
-- Example:  SELECT ranking.mse(predicted, actual) FROM (VALUES (2.5, 3), (0, -0.5), (2, 2), (8, 7)) AS t(predicted, actual);
--           -- 0.375
CREATE OR REPLACE MACRO ranking.mse(predicted, actual) AS
    avg((predicted::DOUBLE - actual::DOUBLE) ** 2);
