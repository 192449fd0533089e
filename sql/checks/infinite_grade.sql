-- truth: {grade} is NaN or infinite
-- An evaluation raises an error.
-- Place: 280; Severity: error; Of: rows of truth
SELECT n_infinite AS count, if(isfinite(grade), lowest, grade) AS value FROM pairs
