-- As ranking_dcg, over the first min(k, |truth|) ranks of that list.
--
-- gain, discount, base, half_life: as for ranking_dcg
-- Example:   SELECT ranking_ideal_dcg(ranking_judge([1, 3], [1, 2, 4]), 2);  -- 1.6309297535714575
CREATE OR REPLACE TEMP MACRO _ranking_ideal_dcg
    (ranking, gain := 'exp', discount := 'log2', base := NULL, half_life := NULL) AS
_ranking_total(
    'ranking_ideal_dcg', ranking, gain,
    CASE WHEN ranking.k > 0 THEN ranking.ideal[1] END,
    _ranking_ideal(ranking, ranking.ideal, gain, discount, base, half_life))::DOUBLE;
