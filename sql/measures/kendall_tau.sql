-- variant: 'b' (default) or 'c', as in tau-b and tau-c
{% from 'measures/internal/hits.jinja' import pairs %}
{% macro value(variant) %}
list_transform(
    {{ pairs()|indent(4) }},
    lambda _ranking_of: CASE
        WHEN _ranking_of.pairs > 0
            THEN greatest(-1, least(1, (2 * _ranking_of.right - _ranking_of.pairs)::DOUBLE / ({{ most(variant) }})))
    END)[1]
{%- endmacro %}

{% macro most(variant) %}
{% set b = "sqrt(_ranking_of.pairs) * sqrt(_ranking_of.items * (_ranking_of.items - 1)::DOUBLE / 2)" %}
{% set c = "_ranking_of.items ** 2 * (_ranking_of.grades - 1)::DOUBLE / (2 * _ranking_of.grades)" %}
{{ variant | choose(b=b, c=c) }}
{%- endmacro %}
