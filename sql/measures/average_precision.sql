-- normalize: divisor: 'truth' (default), 'min', 'hits' or 'k'
{% import 'measures/internal/ties.jinja' as of_tie %}
{% macro value(normalize) %}
{% set precisions = 'coalesce(list_sum(list_transform(hits, lambda rank, number: number::DOUBLE / rank)), 0)' %}
{{ precisions ~ '::DOUBLE / ' ~ divisor(normalize) }}
{%- endmacro %}

{# The divisor of a sum of precisions. #}
{% macro divisor(normalize) %}
greatest({{ normalize | choose(min="least(k, n_relevant)", hits="n_hits", k="k", truth="n_relevant") }}, 1)
{%- endmacro %}

{# normalize=hits divides by the hits in the top k, so the value depends on the number n of hits of the last tie there. Each
   of these is at any rank with the same probability. The sum of their precisions is a n + b n (n - 1). #}
{% macro expected(normalize) %}
{% if normalize == 'hits' %}
coalesce(
    list_transform(
        list_transform(
            ties[-1:],
            lambda last: {
                'ways': {{ of_tie.ways('last')|indent(16) }},
                'before': last.before,
                'above': coalesce(
                    list_sum(list_transform(
                        ties[:-2], lambda tie: {{ of_tie.precisions('tie', 'tie.hits', 'tie.size')|indent(24) }})),
                    0),
                'alone': {{ of_tie.precisions('last', '1', 'last.taken')|indent(16) }},
                'paired': {{ of_tie.precisions('last', '2', 'last.taken')|indent(16) }}::DOUBLE / 2}),
        lambda of: list_sum(list_transform(
            of.ways,
            lambda way: way.weight::DOUBLE / greatest(of.before + way.hits, 1) * (
                of.above + way.hits * (of.alone + (way.hits - 1) * (of.paired - of.alone)))))
            / list_sum(list_transform(of.ways, lambda way: way.weight)))[1],
    0)
{%- else %}
coalesce(list_sum(list_transform(ties, lambda tie: {{ of_tie.precisions('tie', 'tie.hits', 'tie.size')|indent(24) }})), 0)
/ {{ divisor(normalize) }}
{%- endif %}
{%- endmacro %}
