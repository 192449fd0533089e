-- Known items / min(k, |rec|). An item that stands twice in rec, and a NULL, count as not judged.
--
-- Example: SELECT ranking.judged_share(ranking.judge(['a', 'x', 'b', 'y'], ['a', 'b'], [3, 0]), 3);
--          -- 0.6666666666666666
{% macro value() %}
len(seen)::DOUBLE / greatest(top, 1)
{%- endmacro %}
