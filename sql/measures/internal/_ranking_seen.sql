-- Internal: the grades of the judged items in the top k, of any grade, best rank first.
--
-- judged:  a judged ranking
-- k:       an integer of any type; NULL means the whole list
-- Returns: DOUBLE[]
-- Example: SELECT _ranking_seen(ranking_judge(['a', 'x', 'b'], ['a', 'b'], [2, 0]), 2);  -- [2.0]
CREATE OR REPLACE TEMP MACRO _ranking_seen(judged, k) AS
CASE
    WHEN coalesce(judged.ranks[-1] <= TRY_CAST(k AS BIGINT), true) THEN judged.grades
    ELSE judged.grades[:len(list_filter(
        judged.ranks, lambda _ranking_rank: coalesce(_ranking_rank <= TRY_CAST(k AS BIGINT), true)))]
END;
