-- rec: {units} with tied scores at k = {k}
-- Which of the tied items are inside the top k is arbitrary. Info if you pass another `ties`.
-- Place: 200; Severity: warning from 0.05; Of: users of truth
-- Write: write {ties=expected}
SELECT is_judged AND list_contains(tied_cuts, k) AS count FROM cuts
