-- hits / |truth|. With normalize=min, hits / min(|truth|, k), so that a list of k items can reach 1.
--
-- normalize: divisor: 'truth' (default) or 'min'
-- Example:   SELECT ranking.recall(ranking.judge([1, 3, 2, 6], [1, 2, 4]), 2);  -- 0.3333333333333333
{% macro value(normalize) %}
{{ share(normalize) }}
{%- endmacro %}

{% macro share(normalize) %}
n_hits::DOUBLE / greatest({{ normalize | choose(min="least(k, n_relevant)", truth="n_relevant") }}, 1)
{%- endmacro %}
