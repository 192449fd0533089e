-- truth: {units} without a relevant item
-- These users score 0 in most measures. Info if you exclude them (`without_relevant` set to `skip`).
-- Place: 340; Severity: warning from 0.05; Of: users of truth
SELECT userid IS NOT NULL AND n_relevant = 0 AS count, CASE WHEN {skips_users} THEN 'info' END AS severity
FROM users
HAVING count_if(userid IS NOT NULL AND n_relevant > 0) > 0
