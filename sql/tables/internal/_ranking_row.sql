-- Internal: the ids of a row, as text for an example of ranking_check.
--
-- names:          what _ranking_names gives
-- userid, itemid: ids
-- Returns:        VARCHAR
-- Example:        SELECT _ranking_row(_ranking_names('u', 'i', 's', NULL, NULL, true), 1, NULL);  -- u 1, i NULL
CREATE OR REPLACE TEMP MACRO _ranking_row(names, userid, itemid) AS
concat(
    names['user'], ' ', coalesce(userid::VARCHAR, 'NULL'), ', ',
    names['item'], ' ', coalesce(itemid::VARCHAR, 'NULL'));
