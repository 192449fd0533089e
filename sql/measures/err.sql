-- max_grade: highest possible grade, a number > 0 and <= 1000. A higher grade in the list or in truth is an error.
{% from 'measures/internal/gains.jinja' import gain, grade_problem %}
{# From the last hit up, each hit adds R(r) / r to (1 - R(r)) times the sum of the hits below it. #}
{% macro value(max_grade) %}
list_reduce(
    list_reverse(list_transform(
        list_zip(hits, grades),
        lambda _ranking_hit: [1::DOUBLE / _ranking_hit[1], {{ gain('_ranking_hit[2]', 'exp') }} * 2 ** -{{ max_grade }}])),
    lambda below, hit: [hit[1] * hit[2] + (1 - hit[2]) * below[1]],
    [0::DOUBLE])[1]
{%- endmacro %}

{% macro problem(max_grade) %}
{{ grade_problem(max_grade) }}
{%- endmacro %}
