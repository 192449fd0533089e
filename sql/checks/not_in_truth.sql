-- {units} in rec that are not in truth
-- These users are excluded from results.
-- Place: 360; Severity: info; Of: users of rec
SELECT is_stranger AS count FROM user_lists
