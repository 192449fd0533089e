-- Logarithmic loss (cross-entropy) of predicted probabilities in a group.
--
-- predicted: the predicted probability, from 0 to 1
-- actual:    what happened: 1 or true, 0 or false; a number between them is the share of ones
-- Returns:   DOUBLE, the mean of -(actual * ln(p) + (1 - actual) * ln(1 - p)), 0 or more. p is predicted, moved into
--            [1e-15, 1 - 1e-15] so that a wrong prediction of 0 or 1 costs about 34.5 and not infinity (Hivemall). A pair
--            in which either is NULL is skipped; a group without a pair gives NULL (0 in Hivemall).
-- Errors:    predicted or actual outside of 0 to 1, or NaN (Hivemall moves any predicted into the range)
-- Source:    Hivemall, logloss; https://hivemall.apache.org/userguide/eval/regression.html
-- Example:   SELECT ranking.logloss(predicted, actual) FROM (VALUES (0.01, 0), (0.02, 1)) AS t(predicted, actual);
--            -- 1.9610366706408238
CREATE OR REPLACE MACRO ranking.logloss(predicted, actual) AS
    -avg(CASE
        WHEN predicted IS NULL OR actual IS NULL THEN NULL
        WHEN predicted::DOUBLE NOT BETWEEN 0 AND 1
        THEN error('ranking.logloss: predicted must be a probability from 0 to 1, got ' || predicted::DOUBLE)
        WHEN actual::DOUBLE NOT BETWEEN 0 AND 1
        THEN error('ranking.logloss: actual must be from 0 to 1, got ' || actual::DOUBLE)
        ELSE actual::DOUBLE * ln(greatest(1e-15, least(1 - 1e-15, predicted::DOUBLE)))
            + (1 - actual::DOUBLE) * ln(1 - greatest(1e-15, least(1 - 1e-15, predicted::DOUBLE)))
    END);
