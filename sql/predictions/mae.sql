-- Computes the mean absolute error.
--
-- predicted, actual: predicted and observed number
-- Returns:    DOUBLE, 0 or more: the mean of |predicted - actual|. NULL without a pair (0 in Hivemall), NaN for a NaN.
-- Source:     Hivemall, mae
-- Example:  SELECT ranking.mae(predicted, actual) FROM (VALUES (2.5, 3), (0, -0.5), (2, 2), (8, 7)) AS t(predicted, actual);
--           -- 0.5
CREATE OR REPLACE MACRO ranking.mae(predicted, actual) AS
    avg(abs(predicted::DOUBLE - actual::DOUBLE));
