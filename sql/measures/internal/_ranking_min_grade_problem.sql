-- Internal: the error text of a bad min_grade; NULL for none.
--
-- min_grade: a number; NULL if there is none
-- Returns:   VARCHAR
-- Example:   SELECT _ranking_min_grade_problem(0);  -- min_grade must be a number > 0, got 0
CREATE OR REPLACE TEMP MACRO _ranking_min_grade_problem(min_grade) AS
CASE
    WHEN min_grade IS NOT NULL
        THEN _ranking_option(
            'min_grade',
            min_grade,
            'a number > 0',
            coalesce(TRY_CAST(min_grade AS DOUBLE) > 0 AND TRY_CAST(min_grade AS DOUBLE) < 'inf'::DOUBLE, false))
END;
