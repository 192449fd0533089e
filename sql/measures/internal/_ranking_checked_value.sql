-- Internal: the value of a measure, checked; NULL where the judged ranking is NULL; an error where k, an option, or
-- what cannot be a judged ranking has a problem.
--
-- caller:  the function that an error names
-- view:    the one that _ranking_views gives
-- problem: what is wrong with an option; NULL for nothing
-- value:   a number
-- Returns: DOUBLE
-- Example: SELECT _ranking_checked_value('ranking_hits', {'is_sound': true, 'problem': NULL}, NULL, 1);  -- 1.0
CREATE OR REPLACE TEMP MACRO _ranking_checked_value(caller, view, problem, value) AS
CASE
    WHEN (problem) IS NULL AND view.is_sound THEN (value)::DOUBLE
    ELSE error(caller || ': ' || coalesce(problem, view.problem))::DOUBLE
END;
