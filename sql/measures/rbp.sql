-- persistence: probability that a user continues to the next rank, a number >= 0 and < 1
-- gain:        'binary' (default): 1 for a relevant item. 'graded': grade / max_grade.
-- max_grade:   highest possible grade, a number > 0 and <= 1000, only with gain=graded; NULL for 4. A higher grade is an error.
-- min_grade:   lowest relevant grade, a number > 0, only with gain=binary; NULL: every grade above 0 is relevant
{% from 'measures/internal/gains.jinja' import grade_problem, weights %}
{% macro value(persistence, gain, max_grade, tied) %}
least(
    (1 - {{ persistence }}) * coalesce(
        list_sum(list_transform(
            list_zip({{ weights('lambda _ranking_rank: ' ~ persistence_weight(persistence), tied)|indent(12) }}, grades),
            lambda _ranking_hit: _ranking_hit[1]
                * {{ gain | choose(graded=share(max_grade), binary="1") }})),
        0),
    1)
{%- endmacro %}

{% macro share(max_grade) %}
(_ranking_hit[2] / {{ max_grade|coalesce(4.0) }})
{%- endmacro %}

{% macro persistence_weight(persistence) %}
{{ persistence }} ** (_ranking_rank - 1)
{%- endmacro %}

{% macro problem(persistence, gain, max_grade) %}
{{ gain | choose(graded=grade_problem(max_grade), binary="") }}
{%- endmacro %}
