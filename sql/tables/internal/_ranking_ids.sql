-- Internal: the different users and items of each system, those of truth, and the systems.
--
-- rec, truth: names of tables, as query_table takes them
-- names:      what _ranking_names gives
-- Returns:    system (as text) with listed_user or listed_item, or is_system; or known_user or known_item
-- Example:    FROM _ranking_ids('rec', 'truth', _ranking_names('userid', 'itemid', 'score', NULL, NULL, true));
CREATE OR REPLACE TEMP MACRO _ranking_ids(rec, truth, names) AS TABLE
SELECT DISTINCT system::VARCHAR AS system, userid AS listed_user FROM _ranking_recs(rec, names) WHERE userid IS NOT NULL
UNION ALL BY NAME
SELECT DISTINCT system::VARCHAR AS system, itemid AS listed_item FROM _ranking_recs(rec, names) WHERE itemid IS NOT NULL
UNION ALL BY NAME
SELECT ranking_system::VARCHAR AS system, true AS is_system FROM _ranking_systems(rec, names)
UNION ALL BY NAME
SELECT id AS known_user FROM _ranking_truth_ids(truth, names, 'user')
UNION ALL BY NAME
SELECT id AS known_item FROM _ranking_truth_ids(truth, names, 'item');
