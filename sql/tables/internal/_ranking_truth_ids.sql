-- Internal: the different users or items of truth.
--
-- truth:   name of a table, as query_table takes it
-- names:   what _ranking_names gives
-- kind:    'user' or 'item'; a constant
-- Returns: id
-- Example: FROM _ranking_truth_ids('truth', _ranking_names('userid', 'itemid', 'score', NULL, NULL, true), 'item');
CREATE OR REPLACE TEMP MACRO _ranking_truth_ids(truth, names, kind) AS TABLE
SELECT DISTINCT id
FROM (SELECT COLUMNS(concat('^', kind, 'id$')) AS id FROM _ranking_truths(truth, names))
WHERE id IS NOT NULL;
