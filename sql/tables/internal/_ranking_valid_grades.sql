-- Internal: return true, or an error if min_grade or unjudged is not valid.
--
-- is_without: whether a user's truth is without grades
-- min_grade, unjudged: as for ranking_judged
-- caller:     the function that an error names
-- Returns:    BOOLEAN
-- Example:    SELECT _ranking_valid_grades(false, 4, 'skip', 'ranking_summary');
CREATE OR REPLACE TEMP MACRO _ranking_valid_grades(is_without, min_grade, unjudged, caller) AS
CASE
    -- Known when the query is planned, so that the defaults cost nothing.
    WHEN min_grade IS NULL AND unjudged::VARCHAR IS NOT DISTINCT FROM 'miss' THEN true
    ELSE coalesce(
        error(caller || ': ' || coalesce(
            _ranking_min_grade_problem(min_grade),
            _ranking_option('unjudged', unjudged, 'miss|skip', unjudged::VARCHAR IN ('miss', 'skip')),
            CASE WHEN is_without AND TRY_CAST(min_grade AS DOUBLE) > 1
                THEN concat(
                    'min_grade must be 1 or less where truth has no grades (grade_col names their column), got ', min_grade::VARCHAR)
            END))::BOOLEAN,
        true)
END;
