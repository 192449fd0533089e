-- {units} in truth that are not in rec
-- These users score as an empty list.
-- Place: 350; Severity: warning from 0.05; Of: users of truth
SELECT NOT is_served AS count
FROM served
HAVING count_if(is_served) > 0
