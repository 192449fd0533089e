-- truth: no {grade} is {least}, so nothing is relevant
-- Most measures are 0: no user has a relevant item. The example shows the highest grade.
-- Place: 60; Severity: error; Of: rows of truth
-- Write: write a lower {min_grade}
SELECT sum(n) FILTER (highest IS NOT NULL AND n_relevant = 0) AS total, min({grade} || ' ' || highest) AS example
FROM users
HAVING count_if(userid IS NOT NULL) > 0 AND count_if(userid IS NOT NULL AND n_relevant > 0) = 0
