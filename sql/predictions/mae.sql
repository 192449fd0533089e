-- The mean absolute error of a group.
--
-- predicted, actual: the predicted and the observed number
-- Returns:   DOUBLE, the mean of |predicted - actual|, 0 or more; NULL, NaN and infinite numbers as for mse
-- Source:    Hivemall, mae; https://hivemall.apache.org/userguide/eval/regression.html
-- Example:   SELECT ranking.mae(predicted, actual) FROM (VALUES (2.5, 3), (0, -0.5), (2, 2), (8, 7)) AS t(predicted, actual);
--            -- 0.5
CREATE OR REPLACE MACRO ranking.mae(predicted, actual) AS
    avg(abs(predicted::DOUBLE - actual::DOUBLE));
