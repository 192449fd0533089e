-- As ranking.dcg, over the first min(k, |truth|) ranks of the ideal ranking.
--
-- gain, discount, base, half_life: as for ranking.dcg
-- Example:   SELECT ranking.ideal_dcg(ranking.judge([1, 3], [1, 2, 4]), 2);  -- 1.6309297535714575
{% from 'measures/internal/gains.jinja' import ideal_gain, total %}
{% macro value(gain, discount, base, half_life) %}
{% set highest = 'CASE WHEN k > 0 THEN ideal[1] END' %}
{{ total("'ranking.ideal_dcg'", gain, highest, ideal_gain('ideal[_ranking_place]', gain, discount, base, half_life)) }}
{%- endmacro %}
