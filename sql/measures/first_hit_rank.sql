{% macro value() %}
hits[1]
{%- endmacro %}
