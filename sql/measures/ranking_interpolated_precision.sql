-- The maximum of P(r) over the ranks r of hits with recall(r) >= recall; 0 if that is never reached.
--
-- recall:    a number >= 0 and <= 1
-- Example:   SELECT ranking_interpolated_precision(ranking_judge([3, 1, 2], [1, 2]), recall := 0.5);
--            -- 0.6666666666666666
CREATE OR REPLACE TEMP MACRO _ranking_interpolated_precision(ranking, recall := 0) AS
coalesce(
    list_max(list_transform(
        ranking.hits,
        lambda rank, number: CASE
            WHEN number / ranking.n_relevant >= TRY_CAST(recall AS DOUBLE) THEN number / rank
        END)),
    0)::DOUBLE;
