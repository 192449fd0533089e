{% macro value() %}
coalesce(1::DOUBLE / hits[1], 0)
{%- endmacro %}

{# The sum of 1 / rank times the probability that the first hit is at this rank. Each probability is the one of the rank
   above, times (size - hits + 1 - rank) / (size - rank), counting ranks in the tie. (DuckDB 1.5 mixes up rows if the
   lambda of a list_reduce reads more than its list.) #}
{% macro expected() %}
coalesce(
    list_transform(ties[:1], lambda tie: tie.hits::DOUBLE / tie.size * list_reduce(
        list_transform(
            range(least(tie.taken, tie.size - tie.hits + 1), 0, -1),
            lambda rank: [
                1::DOUBLE / (tie.above + rank), (tie.size - tie.hits + 1 - rank)::DOUBLE / greatest(tie.size - rank, 1)]),
        lambda below, here: [here[1] + here[2] * below[1]],
        [0::DOUBLE])[1])[1],
    0)
{%- endmacro %}
