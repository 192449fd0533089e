-- The root mean squared error of a group.
--
-- predicted, actual: the predicted and the observed number
-- Returns:   DOUBLE, the square root of ranking.mse(predicted, actual)
-- Source:    Hivemall, rmse; https://hivemall.apache.org/userguide/eval/regression.html
-- Example:   SELECT ranking.rmse(predicted, actual) FROM (VALUES (1, 4), (2, 2), (3, 3), (9, 0), (5, 5)) AS t(predicted, actual);
--            -- 4.242640687119285
CREATE OR REPLACE MACRO ranking.rmse(predicted, actual) AS
    sqrt(avg((predicted::DOUBLE - actual::DOUBLE) ** 2));
