-- normalize: divisor: 'truth' (default) or 'min'
{% macro value(normalize) %}
n_hits::DOUBLE / greatest({{ normalize | choose(min="least(k, n_relevant)", truth="n_relevant") }}, 1)
{%- endmacro %}
