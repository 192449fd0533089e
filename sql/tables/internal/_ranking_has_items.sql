-- Internal: return true, or an error if a system has no item of truth: there is nothing to compare.
--
-- rec, truth: names of tables, as query_table takes them
-- names:      what _ranking_names gives
-- caller:     the function that an error names
-- Returns:    BOOLEAN
-- Example:    SELECT _ranking_has_items('rec', 'truth', _ranking_names('userid', 'itemid', 'score', NULL, NULL, true), 'f');
CREATE OR REPLACE TEMP MACRO _ranking_has_items(rec, truth, names, caller) AS
(
    SELECT CASE WHEN count(*) = 0 THEN true
        ELSE error(concat(caller, ': no item of truth is in rec', ' (of ' || _ranking_cut(min(system)) || ')'))::BOOLEAN END
    FROM (
        SELECT DISTINCT system::VARCHAR AS system
        FROM _ranking_recs(rec, names)
        EXCEPT
        SELECT recs.system::VARCHAR
        FROM _ranking_recs(rec, names) AS recs
        SEMI JOIN _ranking_truth_ids(truth, names, 'item') AS truths ON _ranking_same_id(recs.itemid, truths.id)
    )
);
