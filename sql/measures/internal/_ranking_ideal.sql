-- Internal: the sum of discounted gains of the best possible list, as _ranking_discounted_gain counts. Where all grades are
-- equal it depends on the length of that list alone.
--
-- ranking:   what _ranking_at gives
-- grades:    the grades of its ideal
-- gain:      'exp' or 'linear'
-- discount, base, half_life: as _ranking_discounts takes them
-- ideal:     'cut', 'truth' or 'k', as ranking_ndcg takes it
-- Returns:   DOUBLE
-- Example:   SELECT _ranking_ideal(ranking, [1, 1], 'exp', 'log2', NULL, NULL) FROM (SELECT _ranking_at(ranking_judge([1], [1, 2]), 5) AS ranking);
CREATE OR REPLACE TEMP MACRO _ranking_ideal(ranking, grades, gain, discount, base, half_life, ideal := 'cut') AS
coalesce(
    CASE
        WHEN ranking.ideal[1] = ranking.ideal[-1] AND discount::VARCHAR = 'log2' AND ideal::VARCHAR = 'cut'
            THEN ranking.log2_ideal
    END,
    _ranking_discounted_gain(
        ranking,
        CASE ideal::VARCHAR WHEN 'k' THEN list_resize([]::DOUBLE[], least(ranking.k, 10000), 1::DOUBLE) ELSE grades END,
        _ranking_discounts(
            range(
                1,
                1 + CASE ideal::VARCHAR
                    WHEN 'truth' THEN ranking.n_relevant
                    WHEN 'k' THEN least(ranking.k, 10000)
                    ELSE least(ranking.k, ranking.n_relevant)
                END),
            discount,
            base,
            half_life),
        gain));
