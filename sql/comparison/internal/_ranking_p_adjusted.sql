-- Internal: p of one of several comparisons, corrected for their number; a window over family_of.
--
-- p:          a column of p-values, NULL for comparisons that have none
-- p_place:    how many of these are as small, the column's row numbers
-- family:     how many comparisons there are
-- correction: 'holm', 'bh' (Benjamini and Hochberg) or 'none'
-- Returns:    DOUBLE; NULL for NULL
-- Example:    SELECT _ranking_p_adjusted(p, p_place, 2, 'holm')
--             FROM (VALUES (1, 0.01, 1), (1, 0.04, 2)) AS t(family_of, p, p_place);
CREATE OR REPLACE TEMP MACRO _ranking_p_adjusted(p, p_place, family, correction) AS
CASE
    WHEN p IS NULL THEN NULL
    WHEN correction = 'none' THEN p
    WHEN correction = 'holm' THEN max(least(1, (family - p_place + 1) * p)) OVER (
        PARTITION BY family_of, p IS NULL ORDER BY p_place ASC NULLS LAST
    )
    ELSE min(least(1, p * family / p_place)) OVER (
        PARTITION BY family_of, p IS NULL ORDER BY p_place DESC NULLS LAST
    )
END;
