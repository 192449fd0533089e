-- Internal: the lowest grade that is relevant: without a min_grade, the smallest number above 0.
--
-- min_grade: a number, or NULL
-- Returns:   DOUBLE
-- Example:   SELECT _ranking_lowest_grade(2);  -- 2.0
CREATE OR REPLACE TEMP MACRO _ranking_lowest_grade(min_grade) AS
coalesce(TRY_CAST(min_grade AS DOUBLE), 2 ** -1074);
