-- Internal: the pairs of a group as a LIST, as the options of to_ordered_list order them.
--
-- Returns a LIST of STRUCT(rank, key, value); rank is what _ranking_order_rank makes of the pair.
--
-- Example:
--   SELECT list_transform(_ranking_ordered_pairs(key, value, '-k 2 -dedup'), lambda pair: pair.value)
--   FROM (VALUES (5, 'apple'), (3, 'banana'), (4, 'candy'), (5, 'apple')) AS t(key, value);
--   [apple, candy]

-- list_transform over a list of one element gives that element a name. (list_distinct, since DuckDB 2.0 would plan a
-- join for DISTINCT even where the options do not ask for it.)
CREATE OR REPLACE TEMP MACRO _ranking_ordered_pairs(key, value, options) AS
    list_transform(
        [coalesce(list({'rank': _ranking_order_rank(key, value, options), 'key': key, 'value': value})
            FILTER (WHERE key IS NOT NULL AND value IS NOT NULL), [])],
        lambda pairs: list_sort(if(contains(concat(options), '-dedup'), list_distinct(pairs), pairs), 'ASC')
    )[1][:_ranking_order_at_most(options)];
