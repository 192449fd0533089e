-- truth: columns of numbers are not read
-- truth has other columns of numbers, and no column of grades. Every row of truth counts as relevant.
-- Place: 30; Severity: info
SELECT count(*) AS total FROM columns
