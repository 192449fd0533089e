-- ordered_pairs(key, value, options): the pairs of a group as a LIST, ordered by key. It is what
-- to_ordered_list(value, key, options) is made from where it needs the keys too.
--
-- key      what to order by, of any type
-- value    what belongs to the key, of any type
-- options  constant VARCHAR of -k N, -reverse and -dedup, as in to_ordered_list; anything else in it is ignored
--
-- Returns a LIST of STRUCT(key, value). Rows whose key or value is NULL are skipped. Equal keys are ordered by value,
-- ascending whatever the direction of the keys. A group without a row left gives [].
--
-- Example:
--   SELECT ordered_pairs(key, value, '-k 2') FROM (VALUES (5, 'apple'), (3, 'banana'), (4, 'candy')) AS t(key, value);
--   [{'key': 5, 'value': apple}, {'key': 4, 'value': candy}]

-- 'rank' is one value that orders by key in the wanted direction and then by value. Up to some 30 elements a heap,
-- which is what min with a number is, is faster than to sort all. (No DISTINCT, not even where a condition on
-- constants rules it out: DuckDB 2.0 would plan a join for it.)
CREATE OR REPLACE TEMP MACRO ordered_pairs(key, value, options) AS
    coalesce(list_transform(list_transform([
            CASE
            WHEN regexp_matches(concat(options), '-k\s+[+-]?0*[12]?\d(\s|$)') AND NOT contains(concat(options), '-dedup')
            THEN min({
                    'rank': create_sort_key(key,
                        if(regexp_matches(concat(options), '-k\s+\+?\d') <> contains(concat(options), '-reverse'),
                            'DESC NULLS LAST', 'ASC NULLS LAST'),
                        value, 'ASC NULLS LAST'),
                    'key': key, 'value': value},
                coalesce(abs(TRY_CAST(regexp_extract(concat(options), '-k\s+(\S+)', 1) AS INTEGER)), 1000000000))
                FILTER (WHERE key IS NOT NULL AND value IS NOT NULL)
            ELSE list_sort(list({
                    'rank': create_sort_key(key,
                        if(regexp_matches(concat(options), '-k\s+\+?\d') <> contains(concat(options), '-reverse'),
                            'DESC NULLS LAST', 'ASC NULLS LAST'),
                        value, 'ASC NULLS LAST'),
                    'key': key, 'value': value})
                FILTER (WHERE key IS NOT NULL AND value IS NOT NULL), 'ASC')
            END],
        lambda pairs: CASE
            WHEN contains(concat(options), '-dedup') THEN list_concat(pairs[:1], list_transform(list_filter(
                list_zip(pairs[2:], pairs[:-2]), lambda pair: pair[1].rank <> pair[2].rank), lambda pair: pair[1]))
            ELSE pairs
            END[:coalesce(abs(TRY_CAST(regexp_extract(concat(options), '-k\s+(\S+)', 1) AS INTEGER)), 1000000000)])[1],
        lambda pair: {'key': pair.key, 'value': pair.value}), []);
