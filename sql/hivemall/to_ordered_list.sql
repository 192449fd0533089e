-- Collects the values of a group in a LIST, ordered by key or by value.
--
-- value:    values to collect, of any type
-- key:      order of the values, of any type. Without it, values are ordered by themselves.
-- options: options of Hivemall, in any order, as a constant VARCHAR. `-k N` with N > 0: the N largest keys,
--             descending. `-k N` with N < 0: the |N| smallest keys, ascending. `-reverse`: the opposite order: alone,
--             descending; with `-k 2`, the 2 smallest, ascending. `-dedup`: remove repeated pairs of key and value before
--             `-k` counts. `-kv_map`, `-vk_map`: a MAP(key -> value) or MAP(value -> key) in that order.
--             `-reverse_order`, `-kv` and `-vk` are other names.
-- Returns:    LIST(value), or a MAP with -kv_map and -vk_map. Rows with a NULL value or key are skipped (Hivemall). A
--             group without other rows gives an empty list or map. NaN counts as the largest number.
-- Errors:     Options that are malformed or NULL. A map without a key. With three arguments, options that are not
--             constant.
-- Source:     Hivemall, to_ordered_list
-- Example:  SELECT [to_ordered_list(value, key, '-reverse'), to_ordered_list(value, key, '-k 2')]
--           FROM (VALUES (5, 'apple'), (3, 'banana'), (4, 'candy'), (1, 'donut')) AS t(key, value);
--           -- [[apple, candy, banana, donut], [apple, candy]]
--
-- Equal keys are ordered by value, ascending in both directions. A map keeps the first of several pairs with the same key.
--
-- With two arguments, a VARCHAR (or ENUM) as the second means options, and any other type means the key. If your key is a
-- VARCHAR, name it: to_ordered_list(value, key := name).

-- The name of the field in struct_extract decides whether the result is a LIST or a MAP. DuckDB folds conditions on
-- constants before a query runs, so a call computes only what its options require. With max(options), a column of
-- strings reaches the check that rejects it. list_transform over a list of one element names that element.
{% from "hivemall/internal/ordered.jinja" import order_at_most, order_descending, order_returns, order_valid %}
{% from "hivemall/internal/ordered.jinja" import ordered_list, ordered_map, ordered_pairs %}
{% set swapped = "lambda pair: {'rank': pair.rank, 'key': pair.value, 'value': pair.key}" %}
CREATE OR REPLACE TEMP MACRO to_ordered_list
    (value) AS
        coalesce(list_sort(list(value) FILTER (WHERE value IS NOT NULL), 'ASC'), []),

    (value, options VARCHAR) AS
        coalesce(list_transform([{
                'ordered': list_sort(if(
                    contains(max(options), '-dedup'),
                    list_distinct(list(value) FILTER (WHERE value IS NOT NULL)),
                    list(value) FILTER (WHERE value IS NOT NULL)), 'ASC'),
                'options': max(options)}],
            lambda grp: CASE
                WHEN len(grp.ordered) > 0 AND NOT {{ order_valid("grp.options", "[]") | indent(16) }}
                THEN error('to_ordered_list: options without a key must be made of -k N (N not 0), -reverse and '
                    || '-dedup, got ' || coalesce('''' || left(grp.options, 200) || '''', 'NULL')
                    || ' (write key := ... for a VARCHAR key)')
                WHEN {{ order_descending("grp.options") }} THEN list_reverse(grp.ordered)
                ELSE grp.ordered
            END[:{{ order_at_most("grp.options") }}])[1], []),

    (value, key) AS
        {{ ordered_list("value", "key", "''") | indent(8) }},

    (value, key, options) AS
        CASE
            WHEN {{ order_valid("options", "['-kv', '-kv_map']") | indent(12) }}
                OR {{ order_valid("options", "['-vk', '-vk_map']") | indent(16) }}
            THEN struct_extract({
                'list': CASE WHEN {{ order_returns("options") }} = 'list'
                    THEN {{ ordered_list("value", "key", "options") | indent(20) }}
                END,
                'kv': CASE WHEN {{ order_returns("options") }} = 'kv' THEN
                    {{ ordered_map(ordered_pairs("key", "value", "options")) | indent(20) }}
                END,
                'vk': CASE WHEN {{ order_returns("options") }} = 'vk' THEN
                    {{ ordered_map("list_transform(" ~ ordered_pairs("key", "value", "options") ~ ", " ~ swapped ~ ")") | indent(20) }}
                END
            }, {{ order_returns("options") }})
            ELSE error('to_ordered_list: options must be made of -k N (N not 0), -reverse, -dedup, '
                || 'and -kv_map or -vk_map, got ' || coalesce('''' || options::VARCHAR || '''', 'NULL'))
        END;
