-- truth: {grade} is NaN or infinite
-- An evaluation raises an error. Rows without a user or an item do not count.
-- Place: 280; Severity: error; Of: rows of truth
SELECT n_infinite AS count, CASE WHEN isfinite(grade) THEN lowest ELSE grade END AS value FROM pairs
