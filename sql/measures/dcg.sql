-- gain:      gain of a grade. 'exp' (default): 2^grade - 1, for grades up to 1000. 'linear': the grade.
-- discount:  discount at rank r. 'log2' (default) divides by log2(r + 1), 'original' by max(1, log_base(r)). 'half_life'
--            multiplies by 2^(-(r - 1) / (half_life - 1)).
-- base:      base of the logarithm, a number > 1, only with discount=original; NULL for 2
-- half_life: half-life in ranks, a number > 1, only with discount=half_life; NULL for 5
-- Example:   SELECT ranking.dcg(ranking.judge([1, 2, 3], [1, 3], [4, 5]), gain := 'linear', discount := 'original');
--            -- 7.154648767857288
{% import 'measures/internal/gains.jinja' as gains %}
{% macro value(gain, discount, base, half_life, tied) %}
{% set weight = 'lambda _ranking_rank: ' ~ gains.discount('_ranking_rank', discount, base, half_life) %}
{% set gained = gains.discounted_gain('grades[_ranking_place]', gains.weights(weight, tied), gain) %}
{{ gains.total("'ranking.dcg'", gain, 'list_max(grades)', gained) }}
{%- endmacro %}
