-- Internal: p of one of several comparisons, corrected for their number; a window over k and place.
--
-- p:          a column of p-values, NULL for comparisons that have none
-- p_place:    how many of these are as small, the column's row numbers
-- family:     how many comparisons there are
-- correction: 'holm', 'bh' (Benjamini and Hochberg) or 'none'
-- Returns:    DOUBLE; NULL for NULL
-- Example:    SELECT _ranking_p_adjusted(p, p_place, 2, 'holm')
--             FROM (VALUES (1, 1, 0.01, 1), (1, 1, 0.04, 2)) AS t(k, place, p, p_place);
CREATE OR REPLACE TEMP MACRO _ranking_p_adjusted(p, p_place, family, correction) AS
CASE CASE WHEN p IS NOT NULL THEN correction END
    WHEN 'none' THEN p
    WHEN 'holm' THEN max(least(1, (family - p_place + 1) * p)) OVER (
        PARTITION BY k, place, p IS NULL ORDER BY p_place ASC NULLS LAST
    )
    WHEN 'bh' THEN min(least(1, p * family / p_place)) OVER (
        PARTITION BY k, place, p IS NULL ORDER BY p_place DESC NULLS LAST
    )
END;
