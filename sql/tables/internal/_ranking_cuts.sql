-- Internal: the different cut-offs k in order, or an error if there are none, or one is no integer or negative. One
-- beyond BIGINT means the whole list. Used by _ranking_by_user and ranking_check.
--
-- ks:      LIST of integers; NULL among them means the whole list
-- caller:  the function that an error names
-- Returns: BIGINT[], NULL last
-- Example: SELECT _ranking_cuts([5, 10], 'ranking_by_user');
CREATE OR REPLACE TEMP MACRO _ranking_cuts(ks, caller) AS
CASE
    WHEN NOT (
        typeof(ks) IN ('"NULL"', '"NULL"[]') OR _ranking_is_integer(regexp_extract(typeof(ks), '(.*)\[\d*\]', 1))
    ) THEN error(caller || ': ks must be a list of integers, got ' || _ranking_cut(typeof(ks)))
    WHEN coalesce(len(TRY_CAST(ks AS DOUBLE[])), 0) = 0
        THEN error(caller || ': ks must be a list of one or more k, got ' || _ranking_cut(ks::VARCHAR))
    WHEN list_min(TRY_CAST(ks AS DOUBLE[])) < 0
        THEN error(caller || ': every k in ks must be 0 or more, got ' || list_min(TRY_CAST(ks AS HUGEINT[])))
    ELSE list_sort(list_distinct(TRY_CAST(ks AS BIGINT[])), 'ASC')
        || CASE WHEN list_count(TRY_CAST(ks AS BIGINT[])) < len(TRY_CAST(ks AS BIGINT[])) THEN [NULL] ELSE [] END
END;
