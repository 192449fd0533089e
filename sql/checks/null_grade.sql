-- truth: {grade} is NULL
-- An evaluation raises an error.
-- Place: 270; Severity: error; Of: rows of truth
SELECT n_null AS count FROM pairs
