-- Internal: the distinct cut-offs k in ascending order, or an error if there are none, or one is no integer or
-- negative. One beyond BIGINT means the whole list.
--
-- ks:      LIST of integers, of whatever numeric type, NULL among them meaning the whole list; or one integer
-- caller:  the function that an error names
-- Returns: BIGINT[], NULL last
-- Example: SELECT _ranking_cuts([5, 10], 'ranking_by_user');
CREATE OR REPLACE TEMP MACRO _ranking_cuts(ks, caller) AS
CASE
    WHEN NOT _ranking_is_number(regexp_replace(typeof(ks), '\[\d*\]$', ''))
        THEN error(caller || ': ks must be a list of integers, got ' || _ranking_cut(typeof(ks)))
    WHEN ks IS NULL OR len(_ranking_numbers(ks)) = 0
        THEN error(caller || ': ks must be a list of one or more k, got ' || _ranking_cut(ks::VARCHAR))
    WHEN NOT _ranking_are_integers(ks)
        THEN error(caller || ': every k in ks must be an integer, got ' || _ranking_cut(ks::VARCHAR))
    WHEN list_min(_ranking_numbers(ks)::DOUBLE[]) < 0
        THEN error(caller || ': every k in ks must be 0 or more, got ' || list_min(TRY_CAST(_ranking_numbers(ks) AS HUGEINT[])))
    WHEN list_count(TRY_CAST(_ranking_numbers(ks) AS BIGINT[])) < list_count(_ranking_numbers(ks))
        THEN error(caller || ': every k in ks must be an integer below 2^63, got ' || _ranking_cut(ks::VARCHAR))
    ELSE list_sort(list_distinct(TRY_CAST(_ranking_numbers(ks) AS BIGINT[])), 'ASC')
        || CASE
            WHEN list_count(TRY_CAST(_ranking_numbers(ks) AS BIGINT[])) < len(_ranking_numbers(ks)) THEN [NULL] ELSE []
        END
END;
