-- gain, discount, base, half_life: as for ranking.dcg
{% from 'measures/internal/gains.jinja' import ideal_gain, total %}
{% macro value(gain, discount, base, half_life) %}
{% set highest = 'CASE WHEN k > 0 THEN ideal[1] END' %}
{{ total("'ranking.ideal_dcg'", gain, highest, ideal_gain('ideal[_ranking_place]', gain, discount, base, half_life)) }}
{%- endmacro %}
