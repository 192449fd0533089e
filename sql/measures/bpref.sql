-- 1/R * sum over hits of (1 - min(n, R) / min(N, R)). n is the number of judged non-relevant items above the hit. R
-- and N are the numbers of relevant and judged non-relevant items in truth.
--
-- Example:   SELECT ranking.bpref(ranking.judge(['a', 'x', 'b'], ['a', 'x', 'b', 'y'], [1, 0, 1, 0]));  -- 0.75
{% macro value() %}
coalesce(
    list_sum(list_transform(
        list_filter(
            list_transform(seen, lambda grade, place: CASE WHEN grade > 0 THEN place END),
            lambda place: place IS NOT NULL),
        lambda place, number: 1 - least(place - number, n_relevant)
            / greatest(least(len(ideal) - n_relevant, n_relevant), 1)::DOUBLE)),
    0)
/ greatest(n_relevant, 1)
{%- endmacro %}
