-- The sum of the discounted gain of the item at each rank r.
--
-- gain:      'exp' for 2^grade - 1 (grades to 1000), 'linear' for the grade itself
-- discount:  'log2' divides by log2(r + 1); 'original' by max(1, log_base(r)); 'half_life' multiplies by 2^(-(r - 1)
--            / (half_life - 1))
-- base:      a number > 1, with discount=original alone; NULL for 2
-- half_life: a number > 1, with discount=half_life alone; NULL for 5
-- Example:   SELECT ranking.dcg(ranking.judge([1, 2, 3], [1, 3], [4, 5]), gain := 'linear', discount := 'original');
--            -- 7.154648767857288
{% import 'measures/internal/gains.jinja' as gains %}
{% macro value(gain, discount, base, half_life, tied) %}
{% set weight = 'lambda _ranking_rank: ' ~ gains.discount('_ranking_rank', discount, base, half_life) %}
{% set gained = gains.discounted_gain('grades[_ranking_place]', gains.weights(weight, tied), gain) %}
{{ gains.total("'ranking.dcg'", gain, 'list_max(grades)', gained) }}
{%- endmacro %}
