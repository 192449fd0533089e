-- Relevant items in the top min(k, |truth|), divided by |truth|.
--
-- Example:   SELECT ranking.r_precision(ranking.judge([1, 3, 2, 4], [1, 2, 4]));  -- 0.6666666666666666
{% from 'measures/internal/ties.jinja' import hits_in %}
{% macro value() %}
{{ 'len(list_filter(hits, lambda rank: rank <= n_relevant))::DOUBLE / greatest(n_relevant, 1)' }}
{%- endmacro %}

{% macro expected() %}
{{ hits_in('ties', 'least(top, n_relevant)') ~ ' / greatest(n_relevant, 1)' }}
{%- endmacro %}
