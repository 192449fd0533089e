-- Internal: what belongs to the ranks from 1 to k.
--
-- items:   LIST
-- ranks:   LIST of the rank of each, ascending
-- k:       an integer of any type; NULL for all
-- Returns: LIST
-- Example: SELECT _ranking_above(['a', 'b'], [1, 4], 3);  -- ['a']
CREATE OR REPLACE TEMP MACRO _ranking_above(items, ranks, k) AS
CASE
    WHEN coalesce(ranks[-1] <= TRY_CAST(k AS BIGINT), true) THEN items
    ELSE items[:len(list_filter(ranks, lambda _ranking_rank: _ranking_rank <= TRY_CAST(k AS BIGINT)))]
END;
