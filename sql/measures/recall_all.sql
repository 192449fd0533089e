{% macro value() %}
(n_relevant > 0 AND n_hits = n_relevant)::INTEGER
{%- endmacro %}

{# C(size - hits, taken - hits) / C(size, taken): the probability that all hits of a tie are in the top k. #}
{% macro expected() %}
CASE
    WHEN n_relevant > 0 AND len(grades) = n_relevant THEN list_product(flatten(list_transform(
        ties, lambda tie: list_transform(range(tie.hits), lambda n: (tie.taken - n)::DOUBLE / (tie.size - n)))))
    ELSE 0
END
{%- endmacro %}
