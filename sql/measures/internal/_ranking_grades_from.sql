-- Internal: grades, with 0 in place of those below the lowest that is relevant.
--
-- grades:    LIST of DOUBLEs; a column or a field of one
-- min_grade: a number
-- Returns:   DOUBLE[]
-- Example:   SELECT _ranking_grades_from([3e0, 1e0], 2);  -- [3.0, 0.0]
CREATE OR REPLACE TEMP MACRO _ranking_grades_from(grades, min_grade) AS
list_transform(grades, lambda grade: CASE WHEN grade >= TRY_CAST(min_grade AS DOUBLE) THEN grade ELSE 0 END);
