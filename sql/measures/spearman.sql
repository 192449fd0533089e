{# The list is read once for each different grade. #}
{% macro value() %}
list_transform(
    list_transform(
        CASE WHEN ideal[1] > ideal[-1] THEN [seen] END,
        lambda items: {
            'items': len(items),
            'groups': list_transform(
                list_distinct(items),
                lambda grade: {
                    'items': len(list_filter(items, lambda other: other = grade)),
                    'rank': len(list_filter(items, lambda other: other < grade))
                        + (len(list_filter(items, lambda other: other = grade)) - len(items))::DOUBLE / 2,
                    'places': list_sum(list_transform(
                        items,
                        lambda other, place: CASE WHEN other = grade THEN place - (len(items) + 1)::DOUBLE / 2 END))})}),
    lambda of: CASE
        WHEN len(of.groups) > 1
            THEN greatest(-1, least(1, -list_sum(list_transform(of.groups, lambda one: one.rank * one.places))
                / sqrt(of.items * (of.items ** 2 - 1)::DOUBLE / 12)
                / sqrt(list_sum(list_transform(of.groups, lambda one: one.items * one.rank ** 2)))))
    END)[1]
{%- endmacro %}
