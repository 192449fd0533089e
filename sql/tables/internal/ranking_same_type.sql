-- Whether ids of these two types may be compared. Used by ranking_valid.
--
-- one, other: names of types, as typeof gives them
-- Returns:    BOOLEAN
-- Example:    SELECT ranking_same_type('INTEGER', 'BIGINT');
CREATE OR REPLACE TEMP MACRO ranking_same_type(one, other) AS
one = other OR one = '"NULL"' OR other = '"NULL"' OR (
    regexp_full_match(one, 'U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?')
    AND regexp_full_match(other, 'U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?')
);
