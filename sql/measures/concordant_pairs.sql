-- C / (C + D), with C and D the numbers of pairs in the right and in the wrong order.
--
-- Example: SELECT ranking.concordant_pairs(ranking.judge(['a', 'b', 'c'], ['a', 'b', 'c'], [3, 1, 2]));
--          -- 0.6666666666666666
{% from 'measures/internal/hits.jinja' import pairs %}
{% macro value() %}
list_transform(
    {{ pairs()|indent(4) }},
    lambda of: CASE WHEN of.pairs > 0 THEN of.right::DOUBLE / of.pairs END)[1]
{%- endmacro %}
