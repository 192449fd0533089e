-- {units} with recommendations from one system only
-- In a comparison, the other systems score 0 for these users.
-- Place: 370; Severity: warning from 0.05; Of: users of truth
SELECT is_served AND n_served = 1 AND n_systems > 1 AS count FROM served
