-- Internal: return true, or an error if max_k is no integer or negative.
--
-- max_k:   an integer, of whatever numeric type; NULL means the whole list
-- caller:  the function that an error names
-- Returns: BOOLEAN
-- Example: SELECT _ranking_valid_k(10, 'ranking_judged');
CREATE OR REPLACE TEMP MACRO _ranking_valid_k(max_k, caller) AS
CASE
    WHEN NOT _ranking_is_number(typeof(max_k))
        THEN error(caller || ': max_k must be an integer, got ' || _ranking_cut(typeof(max_k)))
    WHEN NOT _ranking_are_integers(max_k)
        THEN error(caller || ': max_k must be an integer, got ' || _ranking_cut(max_k::VARCHAR))
    WHEN TRY_CAST(max_k AS DOUBLE) < 0
        THEN error(caller || ': max_k must be 0 or more, got ' || _ranking_cut(max_k::VARCHAR))
    ELSE true
END;
