-- Example:   SELECT ranking.first_hit_rank(ranking.judge([3, 1, 2, 6], [1, 2, 4]));  -- 2.0
{% macro value() %}
hits[1]
{%- endmacro %}
