-- The DCG of the best possible list, which ranks all truth items by descending grade.
--
-- As ranking_dcg, over the first min(k, |truth|) ranks of that list.
--
-- gain:      'exp' for 2^grade - 1 (grades to 1000), 'linear' for the grade itself
-- discount:  'log2' divides by log2(r + 1); 'original' by max(1, log_base(r)); 'half_life' multiplies by 2^(-(r - 1)
--            / (half_life - 1))
-- base:      a number > 1, with discount=original alone; NULL for 2
-- half_life: a number > 1, with discount=half_life alone; NULL for 5
-- Returns:   DOUBLE of 0 or more; 0 where truth is empty; NULL for NULL
-- Source:    Jarvelin and Kekalainen (2002)
-- Example:   SELECT ranking_ideal_dcg(ranking_judge([1, 3], [1, 2, 4]), 2);  -- 1.6309297535714575
CREATE OR REPLACE TEMP MACRO _ranking_ideal_dcg
    (ranking, gain := 'exp', discount := 'log2', base := NULL, half_life := NULL) AS
(
    _ranking_total(
        'ranking_ideal_dcg', ranking, gain,
        CASE WHEN ranking.k > 0 THEN ranking.ideal[1] END,
        _ranking_ideal(ranking, ranking.ideal, gain, discount, base, half_life))
)::DOUBLE;
