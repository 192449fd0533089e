-- truth: no judged non-relevant items; skip leaves hits only
-- With `unjudged` set to `skip`, only judged items remain in the lists, and all of them are relevant. Most measures are then 1
-- or close to it.
-- Place: 330; Severity: warning; Of: users of truth; Needs: unjudged
-- Write: do without {unjudged=skip}
SELECT count_if(userid IS NOT NULL) AS total
FROM users
HAVING count_if(userid IS NOT NULL AND NOT is_all_relevant) = 0
