-- Internal: the grade of a row of truth as a number, or an error for one that is not finite; that of a row without an item
-- does not matter.
--
-- itemid, rel: of the row
-- names:       what _ranking_names gives
-- caller:      the function that an error names
-- Returns:     DOUBLE; NULL for what is no number, for which _ranking_valid raises an error
-- Example:     SELECT _ranking_finite_grade('a', 3, _ranking_names('userid', 'itemid', 'score', NULL, NULL, true), 'f');
CREATE OR REPLACE TEMP MACRO _ranking_finite_grade(itemid, rel, names, caller) AS
CASE
    WHEN itemid IS NULL OR isfinite(TRY_CAST(rel AS DOUBLE)) THEN TRY_CAST(rel AS DOUBLE)
    WHEN rel IS NULL OR TRY_CAST(rel AS DOUBLE) IS NOT NULL
        THEN error(concat(
            caller, ': ', _ranking_cut(coalesce(names['grade']::VARCHAR, 'rel')), ' must be a finite number, got ',
            coalesce(rel::VARCHAR, 'NULL')))
END;
