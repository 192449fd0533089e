-- Internal: the error text of a grade above max_grade; NULL for none.
--
-- max_grade: a number; NULL for 4
-- highest:   the highest grade; NULL for none
-- Returns:   VARCHAR
-- Example:   SELECT _ranking_grade_problem(NULL, 5);  -- a grade must be max_grade=4 or less, got 5
CREATE OR REPLACE TEMP MACRO _ranking_grade_problem(max_grade, highest) AS
CASE
    WHEN highest > coalesce(TRY_CAST(max_grade AS DOUBLE), 4)
        THEN format(
            'a grade must be max_grade={:g} or less, got {:g}', coalesce(TRY_CAST(max_grade AS DOUBLE), 4), highest::DOUBLE)
END;
