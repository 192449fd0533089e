-- rec: {units} with tied scores in the top k = {k}
-- The order of tied items is arbitrary, down to the largest cutoff. Info if you pass another `ties`.
-- Place: 190; Severity: warning from 0.05; Of: users of truth
-- Write: write {ties=expected}
SELECT is_judged AND is_tied AS count, {cutoff} AS k FROM user_lists
