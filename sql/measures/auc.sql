{% import 'measures/internal/ties.jinja' as of_tie %}
{# The n-th hit, at rank r, has r - n misses above it. #}
{% macro value() %}
CASE
    WHEN len(hits) > 0 AND len(hits) < top
        THEN 1 - (list_sum(hits) - len(hits) * (len(hits) + 1)::DOUBLE / 2)::DOUBLE / (len(hits) * (top - len(hits)))
    ELSE 0.5
END
{%- endmacro %}

{# A hit and a miss in one tie count half. Only the last tie can have a varying number of hits in the top k. #}
{% macro expected() %}
coalesce(
    list_transform(
        list_transform(
            ties[-1:],
            lambda last: {
                'ways': {{ of_tie.ways('last')|indent(16) }},
                'last': last,
                'wrong': coalesce(
                    list_sum(list_transform(
                        ties[:-2], lambda tie: tie.hits * (tie.above - tie.before + (tie.size - tie.hits)::DOUBLE / 2))),
                    0)}),
        lambda of: list_sum(list_transform(
            of.ways,
            lambda way: way.weight * CASE
                WHEN of.last.before + way.hits BETWEEN 1 AND top - 1
                    THEN 1 - (of.wrong + way.hits * (of.last.above - of.last.before + (of.last.taken - way.hits)::DOUBLE / 2))
                        / ((of.last.before + way.hits) * (top - of.last.before - way.hits))
                ELSE 0.5
            END))
            / list_sum(list_transform(of.ways, lambda way: way.weight)))[1],
    0.5)
{%- endmacro %}
