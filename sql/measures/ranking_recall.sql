-- hits / |truth|; with normalize=min, hits / min(|truth|, k), so that a list of k can reach 1.
--
-- normalize: 'truth' or 'min'
-- Example:   SELECT ranking_recall(ranking_judge([1, 3, 2, 6], [1, 2, 4]), 2);  -- 0.3333333333333333
{% from 'measures/internal/hits.jinja' import unless_empty %}
{% macro value(normalize) %}
{{ unless_empty(share(normalize)) }}
{%- endmacro %}

{% macro share(normalize) %}
n_hits::DOUBLE / greatest({% if normalize == 'min' %}least(k, n_relevant){% else %}n_relevant{% endif %}, 1)
{%- endmacro %}
