-- to_ordered_list(value [, key] [, options]): the values of a group as a LIST, ordered by key or by themselves.
--
-- value    what to list, of any type
-- key      what to order by, of any type; without it the values are ordered by themselves
-- options  constant VARCHAR of Hivemall's options, in any order:
--            -k N      N > 0: the N largest keys, descending; N < 0: the |N| smallest keys, ascending
--            -reverse  the opposite order: descending, with -k 2 the 2 smallest ascending, with -k -2 the 2 largest
--            -dedup    a pair of key and value that occurs again is left out, before -k counts
--            -kv_map   a MAP(key -> value) of those pairs in that order, in place of the LIST
--            -vk_map   a MAP(value -> key) of those pairs in that order, in place of the LIST
--          -reverse_order, -kv and -vk are Hivemall's other names of -reverse, -kv_map and -vk_map.
--
-- Returns LIST(value), or a MAP with -kv_map and -vk_map. Rows whose value or key is NULL are skipped (Hivemall).
-- A group without a row left gives an empty list or map. NaN counts as the largest number.
--
-- Equal keys are ordered by value, ascending whatever the direction of the keys, so the result never depends on
-- threads or on the order of the rows. A map keeps the first of several pairs that share its key.
--
-- With two arguments the second is the options if it is a string literal (or a query parameter), as in Hivemall,
-- and the key if it is anything else. A VARCHAR that is no literal is read as options only where all rows of the
-- group hold one and the same string that is valid as options ('-k ' || 2).
--
-- Errors: options that are malformed or NULL; -kv_map or -vk_map without a key. DuckDB itself refuses three
-- arguments with options that are not constant (the type of the result depends on them).
--
-- Example:
--   SELECT to_ordered_list(value, key, '-reverse'), to_ordered_list(value, key, '-k 2 -kv_map')
--   FROM (VALUES (5, 'apple'), (3, 'banana'), (4, 'candy'), (1, 'donut')) AS t(key, value);
--   [apple, candy, banana, donut]    {5=apple, 4=candy}
--
-- Reference: Hivemall, to_ordered_list; https://hivemall.apache.org/userguide/misc/generic_funcs.html

-- The result is a LIST or a MAP because the name of the field in struct_extract decides so. Conditions on
-- constants are folded before a query runs: a call computes only what its options ask for. concat(options) is a
-- VARCHAR whatever options is, and one that DuckDB leaves unbound when it creates the macro, where the name is not
-- yet constant. alias(key) of a literal is its text with the quotes. coalesce(key, NULL) is key; ORDER BY refuses
-- a plain literal. create_sort_key makes one value that orders by key and then by value; up to some 30 elements a
-- heap, which is what min_by with a number is, is faster than to sort all.
CREATE OR REPLACE TEMP MACRO to_ordered_list
    (value) AS
        coalesce(list_sort(list(value) FILTER (WHERE value IS NOT NULL), 'ASC'), []),

    (value, key) AS
        list_transform(list_transform([{
            'ordered': coalesce(
                list(value ORDER BY coalesce(key, NULL) ASC NULLS LAST, value ASC NULLS LAST) FILTER (WHERE
                    key IS NOT NULL AND value IS NOT NULL AND NOT regexp_matches(alias(key), '^(CAST\()?''')),
                list_sort(list(value) FILTER (WHERE
                    key IS NOT NULL AND value IS NOT NULL AND regexp_matches(alias(key), '^(CAST\()?''')), 'ASC'),
                []),
            'literal': any_value(regexp_matches(alias(key), '^(CAST\()?''')),
            'smallest': min(CASE WHEN typeof(key) = 'VARCHAR' THEN key::VARCHAR END),
            'largest': max(CASE WHEN typeof(key) = 'VARCHAR' THEN key::VARCHAR END)}],
        lambda grp: {
            'ordered': CASE
                WHEN grp.literal AND contains(grp.smallest, '-dedup') THEN list_sort(list_distinct(grp.ordered), 'ASC')
                ELSE grp.ordered
            END,
            'literal': grp.literal,
            'options': CASE WHEN grp.smallest = grp.largest THEN grp.smallest END,
            'valid': regexp_full_match(grp.smallest,
                    '\s*((-k\s+[+-]?0*[1-9]\d{0,8}|-reverse(_order)?|-dedup)(\s+|$))*')
                AND NOT regexp_matches(grp.smallest, '-k\s.*-k\s'),
            'descending': regexp_matches(grp.smallest, '-k\s+\+?\d') <> contains(grp.smallest, '-reverse'),
            'k': coalesce(abs(TRY_CAST(regexp_extract(grp.smallest, '-k\s+(\S+)', 1) AS INTEGER)), 1000000000)}),
        lambda grp: CASE
            WHEN grp.options IS NULL OR NOT grp.literal AND NOT (grp.valid AND contains(grp.options, '-'))
            THEN grp.ordered
            WHEN NOT grp.valid
            THEN error('to_ordered_list: options without a key must be made of -k N (N not 0), -reverse and -dedup, '
                || 'got ''' || grp.options || '''')
            WHEN grp.descending THEN list_reverse(grp.ordered)[:grp.k]
            ELSE grp.ordered[:grp.k]
        END)[1],

    (value, key, options) AS
        struct_extract({
            'list': CASE
                WHEN options IS NULL OR regexp_matches(concat(options), '-k\s.*-k\s|-kv.*-vk|-vk.*-kv')
                    OR NOT regexp_full_match(concat(options),
                        '\s*((-k\s+[+-]?0*[1-9]\d{0,8}|-reverse(_order)?|-dedup|-kv(_map)?|-vk(_map)?)(\s+|$))*')
                THEN error('to_ordered_list: options must be made of -k N (N not 0), -reverse, -dedup, '
                    || 'and -kv_map or -vk_map, got ' || coalesce('''' || options::VARCHAR || '''', 'NULL'))
                WHEN regexp_matches(concat(options), '-kv|-vk') THEN NULL
                WHEN contains(concat(options), '-dedup')
                THEN list_transform(ordered_pairs(key, value, options), lambda pair: pair.value)
                WHEN regexp_matches(concat(options), '-k\s+[+-]?0*[12]?\d(\s|$)')
                THEN coalesce(min_by(
                    value,
                    create_sort_key(key,
                        if(regexp_matches(concat(options), '-k\s+\+?\d') <> contains(concat(options), '-reverse'),
                            'DESC NULLS LAST', 'ASC NULLS LAST'),
                        value, 'ASC NULLS LAST'),
                    coalesce(abs(TRY_CAST(regexp_extract(concat(options), '-k\s+(\S+)', 1) AS INTEGER)), 1000000000))
                    FILTER (WHERE key IS NOT NULL AND value IS NOT NULL), [])
                WHEN regexp_matches(concat(options), '-k\s+\+?\d') <> contains(concat(options), '-reverse')
                THEN coalesce(list(value ORDER BY coalesce(key, NULL) DESC NULLS LAST, value ASC NULLS LAST)
                    FILTER (WHERE key IS NOT NULL AND value IS NOT NULL), [])[
                    :coalesce(abs(TRY_CAST(regexp_extract(concat(options), '-k\s+(\S+)', 1) AS INTEGER)), 1000000000)]
                ELSE coalesce(list(value ORDER BY coalesce(key, NULL) ASC NULLS LAST, value ASC NULLS LAST)
                    FILTER (WHERE key IS NOT NULL AND value IS NOT NULL), [])[
                    :coalesce(abs(TRY_CAST(regexp_extract(concat(options), '-k\s+(\S+)', 1) AS INTEGER)), 1000000000)]
            END,
            'map': CASE WHEN contains(concat(options), '-kv') THEN
                list_transform([ordered_pairs(key, value, options)],
                    lambda pairs: map_from_entries(list_concat(pairs[:1], list_transform(list_filter(
                        list_zip(pairs[2:], pairs[:-2]),
                        lambda pair: pair[1].key IS DISTINCT FROM pair[2].key), lambda pair: pair[1]))))[1]
            END,
            'inverted_map': CASE WHEN contains(concat(options), '-vk') THEN
                list_transform([list_sort(list_transform(ordered_pairs(key, value, options),
                        lambda pair, rank: {'key': pair.value, 'rank': rank, 'value': pair.key}), 'ASC')],
                    lambda pairs: map_from_entries(list_transform(list_sort(list_transform(list_concat(
                        pairs[:1], list_transform(list_filter(
                            list_zip(pairs[2:], pairs[:-2]),
                            lambda pair: pair[1].key IS DISTINCT FROM pair[2].key), lambda pair: pair[1])),
                        lambda pair: {'rank': pair.rank, 'key': pair.key, 'value': pair.value}), 'ASC'),
                        lambda pair: {'key': pair.key, 'value': pair.value})))[1]
            END
        }, CASE
            WHEN regexp_matches(concat(options), '-k\s.*-k\s|-kv.*-vk|-vk.*-kv')
                OR NOT regexp_full_match(concat(options),
                    '\s*((-k\s+[+-]?0*[1-9]\d{0,8}|-reverse(_order)?|-dedup|-kv(_map)?|-vk(_map)?)(\s+|$))*')
            THEN 'list'
            WHEN contains(concat(options), '-kv') THEN 'map'
            WHEN contains(concat(options), '-vk') THEN 'inverted_map'
            ELSE 'list'
        END);
