-- The sum over the ranks r of max(grade - neutral, 0) / 2^((r - 1) / (half_life - 1)), divided by the same of the
-- list that ranks all truth items by descending grade, to min(k, |truth|); 0 where that is 0.
--
-- half_life: a number > 1
-- neutral:   a number >= 0
-- Example:   SELECT ranking_half_life_utility(ranking_judge([3, 1], [1]), half_life := 2);  -- 0.5
CREATE OR REPLACE TEMP MACRO _ranking_half_life_utility(ranking, half_life := 5, neutral := 0) AS
CASE
    WHEN ranking.ideal[1] > TRY_CAST(neutral AS DOUBLE) THEN least(
        _ranking_discounted_gain(
            ranking, _ranking_above_neutral(ranking.grades, neutral),
            _ranking_weights(
                ranking, lambda _ranking_rank: _ranking_discount(_ranking_rank, 'half_life', NULL, half_life)),
            'linear')
        / greatest(
            _ranking_ideal(
                ranking, _ranking_above_neutral(ranking.ideal, neutral), 'linear', 'half_life', NULL, half_life),
            2 ** -1074),
        1)
    ELSE 0
END::DOUBLE;

CREATE OR REPLACE TEMP MACRO _ranking_above_neutral(grades, neutral) AS
list_transform(grades, lambda _ranking_grade: greatest(_ranking_grade - TRY_CAST(neutral AS DOUBLE), 0));
