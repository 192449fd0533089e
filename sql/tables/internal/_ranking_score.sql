-- Internal: the score to rank by: as it is, but NULL for NaN, which would rank first.
--
-- score:   a value of any numeric type
-- Returns: score
-- Example: SELECT _ranking_score('NaN'::DOUBLE);
CREATE OR REPLACE TEMP MACRO _ranking_score(score) AS
CASE
    WHEN typeof(score) IN ('DOUBLE', 'FLOAT') AND isnan(TRY_CAST(score AS DOUBLE)) THEN NULL
    ELSE score
END;
