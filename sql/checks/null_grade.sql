-- truth: {grade} is NULL
-- An evaluation raises an error. Rows without a user or an item do not count.
-- Place: 270; Severity: error; Of: rows of truth
SELECT n_null AS count FROM pairs
