-- beta:      weight of recall, a number >= 0; 1 is the F1 score
-- divide:    divisor of precision: 'k', or 'list': min(k, length of rec)
{# (1 + beta^2) P R / (beta^2 P + R), without their common factor. #}
{% macro value(beta, divide) %}
least(
    (1 + least({{ beta }}, 1e100) ** 2) * n_hits
    / greatest(least({{ beta }}, 1e100) ** 2 * n_relevant + {{ divide | choose(list="top", k="k") }}, 1),
    1)
{%- endmacro %}
