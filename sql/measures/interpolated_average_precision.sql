{% import 'measures/interpolated_precision.sql' as interpolated_precision %}
{% macro value() %}
list_sum(list_transform(
    range(0, 11),
    lambda level: {{ interpolated_precision.value('level::DOUBLE / 10')|indent(4) }}))::DOUBLE / 11
{%- endmacro %}
