-- (1 + beta^2) P R / (beta^2 P + R) with P = hits / k and R = hits / |truth|. This is
-- (1 + beta^2) hits / (beta^2 |truth| + k); 0 without a hit. With divide=list, P = hits / min(k, |rec|).
--
-- beta:      weight of recall, a number >= 0; 1 is the F1 score
-- divide:    divisor of precision: 'k', or 'list': min(k, length of rec)
-- Example:   SELECT ranking.f_measure(ranking.judge([1, 3, 2, 6], [1, 2, 4]), 4);  -- 0.5714285714285714
{% macro value(beta, divide) %}
{{ share(beta, divide) }}
{%- endmacro %}

{% macro share(beta, divide) %}
least(
    (1 + least({{ beta }}, 1e100) ** 2) * n_hits
    / greatest(least({{ beta }}, 1e100) ** 2 * n_relevant + {{ divide | choose(list="top", k="k") }}, 1),
    1)
{%- endmacro %}
