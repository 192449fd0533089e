-- divide:    divisor: 'k', or 'list': min(k, length of rec)
-- Example:   SELECT ranking.precision(ranking.judge([1, 3, 2], [1, 2, 4]), 5);  -- 0.4
{% macro value(divide) %}
n_hits::DOUBLE / greatest({{ divide | choose(list="top", k="k") }}, 1)
{%- endmacro %}
