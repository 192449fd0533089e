-- Internal: the verdict on a system.
--
-- p_adjusted, p_same_adjusted: as ranking_compare returns them
-- alpha:            1 - confidence
-- difference:       of the means
-- higher_is_better: BOOLEAN; NULL for a measure of which neither is
-- Returns:          'same', 'unclear', 'better' or 'worse', of such a measure 'higher' or 'lower'
-- Example:          SELECT _ranking_verdict(0.01, NULL, 0.05, -0.2, true);  -- worse
CREATE OR REPLACE TEMP MACRO _ranking_verdict(p_adjusted, p_same_adjusted, alpha, difference, higher_is_better) AS
CASE
    WHEN p_same_adjusted < alpha THEN 'same'
    WHEN p_adjusted >= alpha OR p_adjusted IS NULL THEN 'unclear'
    WHEN higher_is_better IS NULL THEN CASE WHEN difference > 0 THEN 'higher' ELSE 'lower' END
    WHEN (difference > 0) = higher_is_better THEN 'better'
    ELSE 'worse'
END;
