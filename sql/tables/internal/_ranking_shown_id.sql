-- Internal: an id as results show it: a UUID as text, since DuckDB makes no column of UUIDs and other texts.
--
-- id:      an id of any type
-- Returns: VARCHAR for a UUID; else the id
-- Example: SELECT _ranking_shown_id(7);  -- 7
CREATE OR REPLACE TEMP MACRO _ranking_shown_id
    (id UUID) AS id::VARCHAR,
    (id) AS id;
