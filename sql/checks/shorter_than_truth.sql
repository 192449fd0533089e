-- rec: {units} whose list is shorter than truth
-- The ideal ranking of NDCG is cut to the length of the list, so a short list can score 1 over the whole list.
-- Place: 220; Severity: warning from 0.05; Of: users of truth
-- Write: write {measures=ndcg(ideal=truth)}
SELECT is_judged AND k IS NULL AND n < n_relevant AS count FROM cuts
