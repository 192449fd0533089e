-- rec: {units} without truth whose scores are tied
-- These users are excluded from results, so their ties do not matter.
-- Place: 230; Severity: info; Of: users of rec not in truth
SELECT is_stranger AND (is_equal OR is_tied) AS count FROM user_lists
