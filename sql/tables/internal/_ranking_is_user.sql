-- Internal: say whether a userid is the one that was asked for, which may be given as text or by another type of number.
--
-- userid:  of a table
-- user:    as given
-- Returns: BOOLEAN
-- Example: SELECT _ranking_is_user(12::DOUBLE, '12');  -- true
CREATE OR REPLACE TEMP MACRO _ranking_is_user(userid, user) AS
CASE
    WHEN regexp_matches(typeof(userid), '^(DOUBLE|FLOAT|DECIMAL)')
        THEN TRY_CAST(userid AS DOUBLE) = TRY_CAST(user::VARCHAR AS DOUBLE)
    WHEN regexp_matches(typeof(userid), '^(DATE|TIMESTAMP)')
        THEN TRY_CAST(userid AS TIMESTAMP_NS) = TRY_CAST(user::VARCHAR AS TIMESTAMP_NS)
    ELSE userid::VARCHAR = user::VARCHAR
END;
