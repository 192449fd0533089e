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
                WHEN len(grp.ordered) > 0 AND NOT _ranking_order_valid(grp.options, [])
                THEN error('to_ordered_list: options without a key must be made of -k N (N not 0), -reverse and '
                    || '-dedup, got ' || coalesce('''' || left(grp.options, 200) || '''', 'NULL')
                    || ' (write key := ... for a key of text)')
                WHEN _ranking_order_descending(grp.options) THEN list_reverse(grp.ordered)
                ELSE grp.ordered
            END[:_ranking_order_at_most(grp.options)])[1], []),

    (value, key) AS
        _ranking_ordered_list(value, key, ''),

    (value, key, options) AS
        CASE
            WHEN _ranking_order_valid(options, ['-kv', '-kv_map'])
                OR _ranking_order_valid(options, ['-vk', '-vk_map'])
            THEN struct_extract({
                'list': CASE WHEN _ranking_order_returns(options) = 'list'
                    THEN _ranking_ordered_list(value, key, options)
                END,
                'kv': CASE WHEN _ranking_order_returns(options) = 'kv' THEN
                    _ranking_ordered_map(_ranking_ordered_pairs(key, value, options))
                END,
                'vk': CASE WHEN _ranking_order_returns(options) = 'vk' THEN
                    _ranking_ordered_map(list_transform(
                        _ranking_ordered_pairs(key, value, options),
                        lambda pair: {'rank': pair.rank, 'key': pair.value, 'value': pair.key}))
                END
            }, _ranking_order_returns(options))
            ELSE error('to_ordered_list: options must be made of -k N (N not 0), -reverse, -dedup, '
                || 'and -kv_map or -vk_map, got ' || coalesce('''' || options::VARCHAR || '''', 'NULL'))
        END;

-- Say whether the options of to_ordered_list are made of -k N, -reverse, -dedup and the words in maps, -k once at most.
CREATE OR REPLACE TEMP MACRO _ranking_order_valid(options, maps) AS
    coalesce(list_has_all(
        list_concat(['', '-reverse', '-reverse_order', '-dedup'], maps),
        string_split_regex(trim(regexp_replace(' ' || options, '\s-k\s+[+-]?0*[1-9]\d{0,8}(\s|$)', ' ')), '\s+')
    ), false);

-- Say whether the options of to_ordered_list ask for descending keys.
-- concat(options), where a cast might do: DuckDB must not ask, when it creates a macro, whether it is a constant.
CREATE OR REPLACE TEMP MACRO _ranking_order_descending(options) AS
    regexp_matches(concat(options), '-k\s+\+?\d') <> contains(concat(options), '-reverse');

-- The number of values the options of to_ordered_list ask for, a billion without -k.
CREATE OR REPLACE TEMP MACRO _ranking_order_at_most(options) AS
    coalesce(abs(TRY_CAST(regexp_extract(concat(options), '-k\s+(\S+)', 1) AS INTEGER)), 1_000_000_000);

-- The list that to_ordered_list returns, without its maps and its checks.
-- Up to some 30 elements a heap, which is what min_by with a number is, is faster than to sort all.
CREATE OR REPLACE TEMP MACRO _ranking_ordered_list(value, key, options) AS
    coalesce(CASE
        WHEN contains(concat(options), '-dedup')
        THEN list_transform(_ranking_ordered_pairs(key, value, options), lambda pair: pair.value)
        WHEN _ranking_order_at_most(options) <= 30
        THEN min_by(value, _ranking_order_rank(key, value, options), _ranking_order_at_most(options))
            FILTER (WHERE key IS NOT NULL AND value IS NOT NULL)
        WHEN _ranking_order_descending(options)
        THEN list(value ORDER BY key DESC NULLS LAST, value ASC NULLS LAST)
            FILTER (WHERE key IS NOT NULL AND value IS NOT NULL)
        ELSE list(value ORDER BY key ASC NULLS LAST, value ASC NULLS LAST)
            FILTER (WHERE key IS NOT NULL AND value IS NOT NULL)
    END, [])[:_ranking_order_at_most(options)];

-- The pairs of a group as a LIST of STRUCT(rank, key, value), as the options of to_ordered_list order them.
-- (list_distinct, since DuckDB 2.0 would plan a join for DISTINCT even where the options do not ask for it.)
CREATE OR REPLACE TEMP MACRO _ranking_ordered_pairs(key, value, options) AS
    list_transform(
        [coalesce(list({'rank': _ranking_order_rank(key, value, options), 'key': key, 'value': value})
            FILTER (WHERE key IS NOT NULL AND value IS NOT NULL), [])],
        lambda pairs: list_sort(if(contains(concat(options), '-dedup'), list_distinct(pairs), pairs), 'ASC')
    )[1][:_ranking_order_at_most(options)];

-- One value that orders by key, in the direction that the options of to_ordered_list ask for, and then by value.
CREATE OR REPLACE TEMP MACRO _ranking_order_rank(key, value, options) AS
    create_sort_key(
        key, if(_ranking_order_descending(options), 'DESC NULLS LAST', 'ASC NULLS LAST'), value, 'ASC NULLS LAST');

-- The kind of result that the options of to_ordered_list ask for: 'kv' or 'vk', a map, or 'list'.
CREATE OR REPLACE TEMP MACRO _ranking_order_returns(options) AS
    regexp_extract(concat(options, ' -list'), '-(kv|vk|list)', 1);

-- A MAP of the pairs, in the order of their ranks; of pairs with one key the first stays.
CREATE OR REPLACE TEMP MACRO _ranking_ordered_map(pairs) AS
    list_transform(
        [list_sort(list_transform(
            pairs, lambda pair: {'key': pair.key, 'rank': pair.rank, 'value': pair.value}), 'ASC')],
        lambda by_key: map_from_entries(list_transform(
            list_sort(list_transform(
                _ranking_first_of_key(by_key),
                lambda pair: {'rank': pair.rank, 'key': pair.key, 'value': pair.value}), 'ASC'),
            lambda pair: {'key': pair.key, 'value': pair.value})))[1];

-- The first pair of each key. (An index in a lambda, pairs[i - 1], makes DuckDB copy the list for every pair.)
CREATE OR REPLACE TEMP MACRO _ranking_first_of_key(pairs) AS
    list_concat(pairs[:1], list_transform(
        list_filter(list_zip(pairs[2:], pairs[:-2]), lambda two: two[1].key IS DISTINCT FROM two[2].key),
        lambda two: two[1]));
