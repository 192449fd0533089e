-- Internal: where the macros are that a text for query() calls, which needs whole names where they are in a database of
-- their own: there this is replaced.
--
-- Returns: VARCHAR: nothing, or a database and schema with a dot behind each
-- Example: SELECT _ranking_home();
CREATE OR REPLACE TEMP MACRO _ranking_home() AS
'';
