-- The values of a group as a LIST, ordered by key or by themselves.
--
-- value:   what to list, of any type
-- key:     what to order by, of any type; without it the values are ordered by themselves
-- options: constant VARCHAR of Hivemall's options, in any order: `-k N`, N > 0: the N largest keys, descending, N < 0: the
--          |N| smallest keys, ascending; `-reverse`: the opposite order, descending, with `-k 2` the 2 smallest ascending,
--          with `-k -2` the 2 largest; `-dedup`: a pair of key and value that occurs again is left out, before -k counts;
--          `-kv_map`: a MAP(key -> value) of those pairs in that order, in place of the LIST; `-vk_map`: a MAP(value ->
--          key). `-reverse_order`, `-kv` and `-vk` are Hivemall's other names of -reverse, -kv_map and -vk_map.
-- Returns: LIST(value), or a MAP with -kv_map and -vk_map. Rows whose value or key is NULL are skipped (Hivemall). A group
--          without a row left gives an empty list or map. NaN counts as the largest number.
-- Errors:  options that are malformed or NULL; -kv_map or -vk_map without a key. DuckDB itself refuses three arguments
--          with options that are not constant (the type of the result depends on them).
-- Source:  Hivemall, to_ordered_list; https://hivemall.apache.org/userguide/misc/generic_funcs.html
-- Example: SELECT [to_ordered_list(value, key, '-reverse'), to_ordered_list(value, key, '-k 2')]
--          FROM (VALUES (5, 'apple'), (3, 'banana'), (4, 'candy'), (1, 'donut')) AS t(key, value);
--          -- [[apple, candy, banana, donut], [apple, candy]]
--
-- Equal keys are ordered by value, ascending whatever the direction of the keys, so the result never depends on
-- threads or on the order of the rows. A map keeps the first of several pairs that share its key.
--
-- With two arguments the second is the options if it is a VARCHAR (or an ENUM), and the key if it is of any other
-- type: a key of text is named, to_ordered_list(value, key := name), or stands before options that are empty, ''.
-- (Hivemall tells the two apart by whether the second is a constant. Here a column of text is refused, not guessed at.)

-- The result is a LIST or a MAP because the name of the field in struct_extract decides so. Conditions on constants
-- are folded before a query runs: a call computes only what its options ask for. max(options) lets a column of text
-- come as far as the check that refuses it. list_transform over a list of one element gives that element a name.
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
                    || ' (write key := ... for a key of text)')
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
