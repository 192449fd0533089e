-- Internal: a judged ranking in which an item below a grade is judged, but not relevant: its grade is 0.
--
-- judged:    a judged ranking; a column, or the parameter of a lambda
-- min_grade: a number; NULL for the ranking as it is
-- Returns:   STRUCT, as judged
-- Example:   SELECT _ranking_from_grade(judged, 2) FROM (SELECT ranking_judge([1, 3], [1, 3], [4, 1]) AS judged);
CREATE OR REPLACE TEMP MACRO _ranking_from_grade(judged, min_grade) AS
CASE
    WHEN min_grade IS NULL THEN judged
    WHEN judged IS NOT NULL THEN {
        'ranks': judged.ranks,
        'grades': _ranking_grades_from(judged.grades, min_grade),
        'ideal': _ranking_grades_from(judged.ideal, min_grade),
        'size': judged.size,
        'cutoff': judged.cutoff
    }
END;
