-- Internal: 1, or an error if a grade is too high for its gain.
--
-- caller:  the function that an error names
-- gain:    'exp' or 'linear'
-- highest: the highest of the grades that count; NULL for none
-- Returns: INTEGER
-- Example: SELECT _ranking_gain_fits('ranking_dcg', 'exp', 5);
CREATE OR REPLACE TEMP MACRO _ranking_gain_fits(caller, gain, highest) AS
coalesce(
    error(CASE
        WHEN highest::DOUBLE > 1000 AND gain::VARCHAR = 'exp'
            THEN format('{}: a grade must be 1000 or less with gain=exp (gain := ''linear'' takes any), got {:g}', caller, highest)
    END)::INTEGER,
    1);
