-- The sum over the ranks r of max(grade - neutral, 0) / 2^((r - 1) / (half_life - 1)), divided by the same sum over
-- the first min(k, |truth|) ranks of the ideal ranking; 0 if the latter is 0.
--
-- half_life: rank that half of the users reach, a number > 1
-- neutral:   grade without utility, a number >= 0
-- Example:   SELECT ranking.half_life_utility(ranking.judge([3, 1], [1]), half_life := 2);  -- 0.5
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
