{% macro value() %}
len(seen)::DOUBLE / greatest(top, 1)
{%- endmacro %}
