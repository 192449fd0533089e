-- Internal: the sum of discounted gains of the best possible list cut at k, as _ranking_discounted_gain counts. Where all
-- grades are equal it depends on the length of that list alone.
--
-- ranking:   what _ranking_at gives
-- grades:    the grades of its ideal
-- gain:      'exp' or 'linear'
-- discount, base, half_life: as _ranking_discounts takes them
-- Returns:   DOUBLE
-- Example:   SELECT _ranking_ideal(ranking, [1, 1], 'exp', 'log2', NULL, NULL) FROM (SELECT _ranking_at(ranking_judge([1], [1, 2]), 5) AS ranking);
CREATE OR REPLACE TEMP MACRO _ranking_ideal(ranking, grades, gain, discount, base, half_life) AS
coalesce(
    CASE WHEN ranking.ideal[1] = ranking.ideal[-1] AND discount::VARCHAR = 'log2' THEN ranking.log2_ideal END,
    _ranking_discounted_gain(
        ranking,
        grades,
        _ranking_discounts(range(1, least(ranking.k, ranking.n_relevant) + 1), discount, base, half_life),
        gain));
