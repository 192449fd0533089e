-- Example:   SELECT ranking_interpolated_average_precision(ranking_judge([1, 2], [1, 2]));  -- 1.0
CREATE OR REPLACE TEMP MACRO _ranking_interpolated_average_precision(ranking) AS
(
    list_sum(list_transform(range(0, 11), lambda level: _ranking_interpolated_precision(ranking, recall := level / 10)))
    / 11
)::DOUBLE;
