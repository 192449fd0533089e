-- Internal: the ranks of the relevant items in the top k, ascending.
--
-- Most often all truth items are relevant, or all of the list is looked at: then little or nothing is left out.
--
-- judged:  a judged ranking
-- k:       an integer of any type; NULL means the whole list
-- Returns: INTEGER[]
-- Example: SELECT _ranking_hits(ranking_judge([1, 3, 2], [1, 2]), 2);  -- [1]
CREATE OR REPLACE TEMP MACRO _ranking_hits(judged, k) AS
CASE
    WHEN judged.ideal[-1] > 0 AND coalesce(judged.ranks[-1] <= TRY_CAST(k AS BIGINT), true) THEN judged.ranks
    ELSE list_filter(
        CASE
            WHEN judged.ideal[-1] > 0 THEN judged.ranks
            ELSE list_transform(
                list_filter(list_zip(judged.ranks, judged.grades), lambda item: item[2] > 0), lambda item: item[1])
        END,
        lambda _ranking_rank: coalesce(_ranking_rank <= TRY_CAST(k AS BIGINT), true))
END;
