-- rec: {units} whose scores are all equal
-- The order of the whole list is arbitrary: ties are ordered by item. Info if you pass another `ties`.
-- Place: 180; Severity: error from 0.5, warning from 0.05; Of: users of truth
-- Write: write {ties=expected}
SELECT is_judged AND is_equal AS count FROM user_lists
