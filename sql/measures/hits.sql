{% macro value() %}
n_hits
{%- endmacro %}
