-- Computes the logarithmic loss (cross-entropy) of predicted probabilities.
--
-- predicted: predicted probability, from 0 to 1
-- actual:    outcome: 1 or true, 0 or false. A number between them is the share of ones.
-- Returns:    DOUBLE, 0 or more: the mean of -(actual * ln(p) + (1 - actual) * ln(1 - p)). p is predicted, limited to
--             [1e-15, 1 - 1e-15], so a wrong 0 or 1 costs about 34.5. NULL without a pair (0 in Hivemall).
-- Errors:     A predicted or actual outside 0 to 1, or NaN. Hivemall limits any predicted to this range.
-- Source:     Hivemall, logloss
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
