-- Example:   SELECT ranking_first_hit_rank(ranking_judge([3, 1, 2, 6], [1, 2, 4]));  -- 2.0
{% macro value() %}
hits[1]
{%- endmacro %}
