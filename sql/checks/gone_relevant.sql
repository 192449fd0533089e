-- truth: relevant labels for items not in the catalog
-- These relevant items cannot be found, so recall and NDCG are too low.
-- Place: 390; Severity: error from 0.5, warning from 0.05; Of: relevant pairs of truth; Needs: items
-- Write: if the ids match in both: label again, or remove these rows from truth
SELECT userid::VARCHAR AS userid, itemid::VARCHAR AS itemid, (SELECT count_if(is_relevant) FROM labels) AS of
FROM labels
WHERE is_gone AND is_relevant
