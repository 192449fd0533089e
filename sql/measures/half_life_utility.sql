-- half_life: rank that half of the users reach, a number > 1
-- neutral:   grade without utility, a number >= 0
{% import 'measures/internal/gains.jinja' as gains %}
{% macro value(half_life, neutral, tied) %}
{% set weight = 'lambda _ranking_rank: ' ~ gains.discount('_ranking_rank', 'half_life', none, half_life) %}
CASE
    WHEN ideal[1] > {{ neutral }} THEN least(
        {{ gains.discounted_gain(above('grades[_ranking_place]', neutral), gains.weights(weight, tied), 'linear')|indent(8) }}
        / greatest(
            {{ gains.ideal_gain(above('ideal[_ranking_place]', neutral), 'linear', 'half_life', none, half_life)|indent(12) }},
            2 ** -1074),
        1)
    ELSE 0
END
{%- endmacro %}

{% macro above(grade, neutral) %}
greatest({{ grade }} - {{ neutral }}, 0)
{%- endmacro %}
