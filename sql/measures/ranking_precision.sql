-- hits / k; with divide=list, hits / min(k, |rec|).
--
-- divide:    'k', or 'list' for the length of a list that is shorter; the same without k
-- Example:   SELECT ranking_precision(ranking_judge([1, 3, 2], [1, 2, 4]), 5);  -- 0.4
{% from 'measures/internal/hits.jinja' import unless_empty %}
{% macro value(divide) %}
{{ unless_empty(share(divide)) }}
{%- endmacro %}

{% macro share(divide) %}
n_hits::DOUBLE / greatest({% if divide == 'list' %}top{% else %}k{% endif %}, 1)
{%- endmacro %}
