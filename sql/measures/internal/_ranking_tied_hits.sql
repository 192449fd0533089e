-- Internal: the expected number of relevant items in the top ranks.
--
-- tied:    what _ranking_tied_at gives
-- top:     how many ranks, at most its `top`
-- Returns: DOUBLE
-- Example: SELECT _ranking_tied_hits({'ties': [{'above': 0, 'size': 4, 'hits': 2}]}, 1);  -- 0.5
CREATE OR REPLACE TEMP MACRO _ranking_tied_hits(tied, top) AS
coalesce(
    list_sum(list_transform(
        tied.ties, lambda tie: tie.hits * greatest(least(top - tie.above, tie.size), 0) / tie.size)),
    0);
