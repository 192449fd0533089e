-- Internal: the number of ranks that are at most k.
--
-- ranks:   LIST, ascending
-- k:       BIGINT
-- Returns: BIGINT
-- Example: SELECT _ranking_n_seen([1, 4], 3);  -- 1
CREATE OR REPLACE TEMP MACRO _ranking_n_seen(ranks, k) AS
CASE
    WHEN coalesce(ranks[-1] <= k, true) THEN len(ranks)
    ELSE len(list_filter(ranks, lambda _ranking_rank: _ranking_rank <= k))
END;
