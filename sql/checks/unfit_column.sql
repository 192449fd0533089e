-- a column is missing or unfit
-- A column is missing or has an unusable type. An evaluation raises the same problem as an error.
-- Place: 10; Severity: error
SELECT count(*) AS total FROM columns
