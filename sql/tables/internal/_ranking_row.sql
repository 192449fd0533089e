-- Internal: a row, as ranking_check names it. Used by ranking_check.
--
-- userid, itemid: ids
-- Returns:        VARCHAR
-- Example:        SELECT _ranking_row(1, NULL);  -- userid 1, itemid NULL
CREATE OR REPLACE TEMP MACRO _ranking_row(userid, itemid) AS
concat('userid ', coalesce(userid::VARCHAR, 'NULL'), ', itemid ', coalesce(itemid::VARCHAR, 'NULL'));
