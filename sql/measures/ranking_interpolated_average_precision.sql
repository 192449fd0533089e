-- The mean of the interpolated precision at the eleven recall levels 0, 0.1, ..., 1.
--
-- Returns:   DOUBLE from 0 to 1; 0 where truth is empty; NULL for NULL
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
