-- Example:   SELECT ranking_interpolated_average_precision(ranking_judge([1, 2], [1, 2]));  -- 1.0
CREATE OR REPLACE TEMP MACRO _ranking_interpolated_average_precision(ranking) AS
(
    list_sum(list_transform(
        range(0, 11),
        lambda level: coalesce(
            list_max(list_transform(
                ranking.hits,
                lambda rank, number: CASE WHEN number / ranking.n_relevant >= level / 10 THEN number / rank END)),
            0)))
    / 11
)::DOUBLE;
