-- Internal: the expected discount factor of each relevant item: the mean of the factors at the ranks of its
-- tie, nothing below rank k.
--
-- tied:    what _ranking_tied_at gives
-- discount, base, half_life: as _ranking_discounts takes them
-- Returns: DOUBLE[], in the order of the grades of `tied`
-- Example: SELECT _ranking_tied_discounts({'ties': [{'above': 0, 'size': 4, 'taken': 1, 'hits': 2}]}, 'log2', NULL, NULL);
--          -- [0.25, 0.25]
CREATE OR REPLACE TEMP MACRO _ranking_tied_discounts(tied, discount, base, half_life) AS
flatten(list_transform(
    tied.ties,
    lambda tie: list_resize(
        []::DOUBLE[],
        tie.hits,
        list_sum(_ranking_discounts(range(tie.above + 1, tie.above + tie.taken + 1), discount, base, half_life))
            / tie.size)));
