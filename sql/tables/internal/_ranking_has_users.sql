-- Internal: return true, or an error if truth has no user. It counts them, in the one column.
--
-- truth:   name of a table, as query_table takes it
-- names:   what _ranking_names gives
-- caller:  the function that an error names
-- Returns: BOOLEAN
-- Example: SELECT _ranking_has_users('truth', _ranking_names('userid', 'itemid', 'score', NULL, NULL, true), 'f');
CREATE OR REPLACE TEMP MACRO _ranking_has_users(truth, names, caller) AS
(
    SELECT CASE
        WHEN count(userid) > 0 OR NOT _ranking_has(truth, names['user'], 'userid') THEN true
        ELSE error(concat(
            caller, ': truth must have a user, got ', count(*), CASE count(*) WHEN 1 THEN ' row' ELSE ' rows' END,
            CASE WHEN count(*) > 0 THEN ' without ' || _ranking_cut(coalesce(names['user']::VARCHAR, 'userid')) END))::BOOLEAN
    END
    FROM _ranking_truths(truth, names)
);
