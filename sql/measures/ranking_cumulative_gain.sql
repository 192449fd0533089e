-- gain:    'linear' for the grade itself, 'exp' for 2^grade - 1 (grades to 1000)
-- Example: SELECT ranking_cumulative_gain(ranking_judge(['a', 'b', 'x'], ['a', 'b', 'c'], [4, 3, 2]));  -- 7.0
CREATE OR REPLACE TEMP MACRO _ranking_cumulative_gain(ranking, gain := 'linear') AS
_ranking_total(
    'ranking_cumulative_gain', ranking, gain, list_max(ranking.grades),
    _ranking_discounted_gain(
        ranking, ranking.grades, _ranking_weights(ranking, lambda _ranking_rank: 1::DOUBLE), gain))::DOUBLE;
