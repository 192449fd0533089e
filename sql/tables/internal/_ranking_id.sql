-- Internal: an id, as text if it is a UUID and those of the other table are none. Used by _ranking_ids.
--
-- id, other: an id, and one of the other table (only its type matters)
-- Returns:   the id
-- Example:   SELECT _ranking_id(uuid(), 'a');
CREATE OR REPLACE TEMP MACRO _ranking_id
    (id UUID, other UUID) AS id,
    (id UUID, other) AS id::VARCHAR,
    (id, other) AS id;
