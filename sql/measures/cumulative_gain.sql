-- gain:    gain of a grade. 'linear' (default): the grade. 'exp': 2^grade - 1, for grades up to 1000.
{% from 'measures/internal/gains.jinja' import discounted_gain, total, weights %}
{% macro value(gain, tied) %}
{% set gained = discounted_gain('grades[_ranking_place]', weights('lambda _ranking_rank: 1::DOUBLE', tied), gain) %}
{{ total("'ranking.cumulative_gain'", gain, 'list_max(grades)', gained) }}
{%- endmacro %}
