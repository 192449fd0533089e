-- Computes the root mean squared error.
--
-- predicted, actual: predicted and observed number
-- Returns:  DOUBLE, 0 or more: the square root of ranking.mse(predicted, actual).
-- Source:     Hivemall, rmse
-- Example:  SELECT ranking.rmse(predicted, actual) FROM (VALUES (1, 4), (2, 2), (3, 3), (9, 0), (5, 5)) AS t(predicted, actual);
--           -- 4.242640687119285
CREATE OR REPLACE MACRO ranking.rmse(predicted, actual) AS
    sqrt(avg((predicted::DOUBLE - actual::DOUBLE) ** 2));
