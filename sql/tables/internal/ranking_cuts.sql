-- The different cut-offs k in order, or an error if there are none or one is negative. Used by ranking_by_user.
--
-- ks:      LIST of integers; NULL among them means the whole list
-- Returns: LIST of ks, NULL last
-- Example: SELECT ranking_cuts([5, 10]);
CREATE OR REPLACE TEMP MACRO ranking_cuts(ks) AS
CASE
    WHEN coalesce(len(ks), 0) = 0
        THEN error('ranking_by_user: ks must be a list of one or more k, got ' || coalesce(ks::VARCHAR, 'NULL'))
    WHEN list_min(ks) < 0
        THEN error('ranking_by_user: every k in ks must be 0 or more, got ' || ks::VARCHAR)
    ELSE list_sort(list_distinct(ks)) || CASE WHEN list_count(ks) < len(ks) THEN [NULL] ELSE [] END
END;
