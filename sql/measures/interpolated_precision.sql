-- The maximum of P(r) over the ranks r of hits with recall(r) >= recall; 0 if this recall is never reached.
--
-- recall:    lowest recall, a number >= 0 and <= 1
-- Example:   SELECT ranking.interpolated_precision(ranking.judge([3, 1, 2], [1, 2]), recall := 0.5);
--            -- 0.6666666666666666
{% macro value(recall) %}
coalesce(
    list_max(list_transform(
        hits,
        lambda _ranking_rank, _ranking_number: CASE
            WHEN _ranking_number::DOUBLE / n_relevant >= {{ recall }} THEN _ranking_number::DOUBLE / _ranking_rank
        END)),
    0)
{%- endmacro %}
