-- a column is not read
-- A column of truth looks like grades, or a column of rec like names of models, runs or seeds, and no argument names it. An
-- evaluation raises an error: every row of truth would be relevant, or the lists of several models or runs would be mixed. A
-- column looks like grades by its name, or if all values are integers from 0 to 10 or booleans, a 0 and a positive one among
-- them. Columns of times are exempt.
-- Place: 20; Severity: error
-- Write: name the column; grades: write {grade_col=NAME}, or {grade_col=} if every row is relevant; systems: write
--     {system_col=NAME}, or {system_col=} if each {unit} has one list; runs: write {system_col=NAME} for a column that joins
--     model and run, then average the runs of each {unit}
SELECT count(*) AS total FROM columns
