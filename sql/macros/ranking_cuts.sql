-- The cut-offs k, or an error if there are none or one is negative. Used by ranking_by_user.
--
-- ks:      LIST of integers; NULL among them means the whole list
-- Returns: ks
-- Example: SELECT ranking_cuts([5, 10]);
CREATE OR REPLACE TEMP MACRO ranking_cuts(ks) AS
CASE
    WHEN coalesce(len(ks), 0) = 0
        THEN error('ranking_by_user: ks must be a list of one or more k, got ' || coalesce(ks::VARCHAR, 'NULL'))
    WHEN list_min(ks) < 0
        THEN error('ranking_by_user: every k in ks must be 0 or more, got ' || ks::VARCHAR)
    ELSE ks
END;
