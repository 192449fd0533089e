{% from 'measures/internal/hits.jinja' import pairs %}
{% macro value() %}
list_transform(
    {{ pairs()|indent(4) }},
    lambda of: CASE WHEN of.pairs > 0 THEN of.right::DOUBLE / of.pairs END)[1]
{%- endmacro %}
