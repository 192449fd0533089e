-- rec: no rows
-- rec is empty, so every user has an empty list.
-- Place: 40; Severity: error
-- Write: check the query that builds rec
SELECT 1 AS count FROM (SELECT count(*) AS n FROM evidence) WHERE n = 0
