-- hits / k; with divide=list, hits / min(k, |rec|).
--
-- divide:    'k', or 'list' for the length of a list that is shorter; the same without k
-- Example:   SELECT ranking.precision(ranking.judge([1, 3, 2], [1, 2, 4]), 5);  -- 0.4
{% macro value(divide) %}
{{ share(divide) }}
{%- endmacro %}

{% macro share(divide) %}
n_hits::DOUBLE / greatest({% if divide == 'list' %}top{% else %}k{% endif %}, 1)
{%- endmacro %}
