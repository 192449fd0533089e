-- Internal: an id without what a reader overlooks: case, blanks around it, zeros in front, and `.0` behind a number.
--
-- id:      VARCHAR
-- Returns: VARCHAR
-- Example: SELECT _ranking_plain_id(' 007.0');  -- 7
CREATE OR REPLACE TEMP MACRO _ranking_plain_id(id) AS
ltrim(regexp_replace(lower(regexp_replace(id, '^[ \t\r\n]+|[ \t\r\n]+$', '', 'g')), '^(\d+)\.0+$', '\1'), '0');
