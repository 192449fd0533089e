{% from 'measures/internal/ties.jinja' import hits_in %}
{% macro value() %}
{{ 'len(list_filter(hits, lambda rank: rank <= n_relevant))::DOUBLE / greatest(n_relevant, 1)' }}
{%- endmacro %}

{% macro expected() %}
{{ hits_in('ties', 'least(top, n_relevant)') ~ ' / greatest(n_relevant, 1)' }}
{%- endmacro %}
