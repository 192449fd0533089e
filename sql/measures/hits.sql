-- Example:   SELECT ranking.hits(ranking.judge([1, 3, 2, 6], [1, 2, 4]));  -- 2.0
{% macro value() %}
n_hits
{%- endmacro %}
