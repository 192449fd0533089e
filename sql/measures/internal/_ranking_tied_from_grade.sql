-- Internal: a ranking with ties in which an item below a grade is judged, but not relevant: its grade is 0.
--
-- tied:      what _ranking_tied_ranking gives; a column
-- min_grade: a number
-- Returns:   STRUCT, as tied
-- Example:   SELECT _ranking_tied_from_grade({'ranks': [1], 'lasts': [2], 'grades': [1e0], 'ideal': [4e0], 'size': 2}, 2);
--            -- {'ranks': [1], 'lasts': [2], 'grades': [0.0], 'ideal': [4.0], 'size': 2}
CREATE OR REPLACE TEMP MACRO _ranking_tied_from_grade(tied, min_grade) AS
{
    'ranks': tied.ranks,
    'lasts': tied.lasts,
    'grades': _ranking_grades_from(tied.grades, min_grade),
    'ideal': _ranking_grades_from(tied.ideal, min_grade),
    'size': tied.size
};
