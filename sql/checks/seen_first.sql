-- rec: {units} whose relevant items rank below seen items
-- Without the already-seen items, relevant items do not rank below the others. The scores are fine, but already-seen items take
-- the top ranks.
-- Place: 90; Severity: error; Of: users with both kinds of items; Needs: history
-- Write: remove the rows of history from rec
SELECT below AS total, n_whole AS of, user AS user, deviation < 0 AS row
FROM evidence
HAVING is_explained
