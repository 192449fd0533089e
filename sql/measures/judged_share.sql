-- Judged items / min(k, |rec|). A repeated item in rec and a NULL count as unjudged.
--
-- Example: SELECT ranking.judged_share(ranking.judge(['a', 'x', 'b', 'y'], ['a', 'b'], [3, 0]), 3);
--          -- 0.6666666666666666
{% macro value() %}
len(seen)::DOUBLE / greatest(top, 1)
{%- endmacro %}
