-- Internal: the pairs of user and item in a history, each once.
--
-- rec:     name of a table, as query_table takes it, that stands in for a history that there is not
-- history: name of a table; NULL for none
-- names:   what _ranking_names gives
-- Returns: userid, itemid; no row without a history
-- Example: FROM _ranking_contents_pairs('rec', 'train', _ranking_names('userid', 'itemid', 'score', '', NULL, true));
CREATE OR REPLACE TEMP MACRO _ranking_contents_pairs(rec, history, names) AS TABLE
SELECT DISTINCT userid, itemid
FROM _ranking_history(coalesce(history, rec), names, '')
WHERE userid IS NOT NULL AND itemid IS NOT NULL AND history IS NOT NULL;
