-- gain:    'linear' for the grade itself, 'exp' for 2^grade - 1 (grades to 1000)
-- Example: SELECT ranking_cumulative_gain(ranking_judge(['a', 'b', 'x'], ['a', 'b', 'c'], [4, 3, 2]));  -- 7.0
CREATE OR REPLACE TEMP MACRO _ranking_cumulative_gain(ranking, gain := 'linear') AS
_ranking_weighted_gain(ranking, gain, list_transform(ranking.hits, lambda rank: 1::DOUBLE));

CREATE OR REPLACE TEMP MACRO _ranking_expected_cumulative_gain(tied, gain := 'linear') AS
_ranking_weighted_gain(
    tied, gain,
    flatten(list_transform(tied.ties, lambda tie: list_resize([]::DOUBLE[], tie.hits, tie.taken / tie.size))));

CREATE OR REPLACE TEMP MACRO _ranking_weighted_gain(ranking, gain, weights) AS
_ranking_total(
    'ranking_cumulative_gain', ranking, gain, list_max(ranking.grades),
    _ranking_discounted_gain(ranking, ranking.grades, weights, gain))::DOUBLE;
