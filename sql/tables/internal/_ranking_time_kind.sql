-- Internal: the kind of a type of time, in words: times of one kind may be compared.
--
-- type:    name of a type, as typeof gives it
-- Returns: VARCHAR; NULL for a type that is no time
-- Example: SELECT _ranking_time_kind('DATE');  -- a DATE or TIMESTAMP
CREATE OR REPLACE TEMP MACRO _ranking_time_kind(type) AS
CASE
    WHEN _ranking_is_integer(type) THEN 'an integer'
    WHEN type = 'TIMESTAMP WITH TIME ZONE' THEN 'a TIMESTAMPTZ'
    WHEN regexp_full_match(type, 'DATE|TIMESTAMP(_S|_MS|_NS)?') THEN 'a DATE or TIMESTAMP'
END;
