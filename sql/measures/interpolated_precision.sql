-- recall:    lowest recall, a number >= 0 and <= 1
{% macro value(recall) %}
coalesce(
    list_max(list_transform(
        hits,
        lambda _ranking_rank, _ranking_number: CASE
            WHEN _ranking_number::DOUBLE / n_relevant >= {{ recall }} THEN _ranking_number::DOUBLE / _ranking_rank
        END)),
    0)
{%- endmacro %}
