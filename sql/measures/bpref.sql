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
