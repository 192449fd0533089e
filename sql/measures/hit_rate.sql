{% macro value() %}
(n_hits > 0)::INTEGER
{%- endmacro %}

{# The probability of no hit in the ranks taken is C(size - more, fewer) / C(size, fewer), of ranks taken and hits. #}
{% macro expected() %}
coalesce(
    list_transform(ties[:1], lambda tie: 1 - coalesce(
        list_product(list_transform(
            range(least(tie.taken, tie.hits)),
            lambda n: (tie.size - greatest(tie.taken, tie.hits) - n)::DOUBLE / (tie.size - n))),
        1))[1],
    0)
{%- endmacro %}
