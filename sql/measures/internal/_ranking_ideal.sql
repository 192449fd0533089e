-- Internal: the sum of discounted gains of the best possible list cut at k, as _ranking_discounted counts. Where all
-- grades are equal it depends on the length of that list alone, and is looked up in a table that DuckDB computes once,
-- when it plans.
--
-- judged:    a judged ranking
-- k:         an integer of any type; NULL means the whole list
-- grades:    the grades of its ideal
-- gain:      'exp' or 'linear'
-- discount, base, half_life: as _ranking_discounts takes them
-- Returns:   DOUBLE
-- Example:   SELECT _ranking_ideal(ranking_judge([1], [1, 2]), 5, [1, 1], 'exp', 'log2', NULL, NULL);
CREATE OR REPLACE TEMP MACRO _ranking_ideal(judged, k, grades, gain, discount, base, half_life) AS
coalesce(
    CASE
        WHEN judged.ideal[1] = judged.ideal[-1] AND discount::VARCHAR = 'log2'
            THEN list_transform(
                range(1, 129),
                lambda n: list_sum(list_transform(range(1, n + 1), lambda rank: 1 / log2(rank + 1)))
            )[least(_ranking_cut_off(k, judged.size), _ranking_n_relevant(judged))]
    END,
    _ranking_discounted(
        judged,
        grades,
        _ranking_discounts(
            range(1, least(_ranking_cut_off(k, judged.size), _ranking_n_relevant(judged)) + 1),
            discount,
            base,
            half_life),
        gain));
