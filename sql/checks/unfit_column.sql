-- a column or argument is not valid
-- A column is missing or has an unusable type, or an argument is invalid. An evaluation raises the same problem as an error.
-- Place: 10; Severity: error
SELECT count(*) AS total FROM columns
