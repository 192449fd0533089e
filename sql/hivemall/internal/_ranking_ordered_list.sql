-- Internal: to_ordered_list without its maps and its checks.
--
-- Example:
--   SELECT _ranking_ordered_list(value, key, '-k 2')
--   FROM (VALUES (5, 'apple'), (3, 'banana'), (4, 'candy')) AS t(key, value);
--   [apple, candy]

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
