-- Collects the pairs of a group in a MAP that is ordered by key.
--
-- key:      keys of any type, which define the order
-- value:    values of any type
-- reverse:  BOOLEAN: true for descending keys, false (default) for ascending keys
-- k:        INTEGER instead of reverse. Positive: the k largest keys, descending. Negative: the |k| smallest keys, ascending.
-- Returns:    MAP(key -> value). Rows with a NULL key are skipped (Hivemall); a NULL value is kept. A group without keys
--             gives an empty map. NaN counts as the largest number.
-- Errors:   A k that is 0 or NULL. A reverse that is NULL. A third argument that is neither BOOLEAN nor an integer.
-- Source:     Hivemall, to_ordered_map
-- Example:  SELECT [to_ordered_map(key, value, true), to_ordered_map(key, value, -2)]
--           FROM (VALUES (10, 'apple'), (3, 'banana'), (4, 'candy')) AS t(key, value);
--           -- [{10=apple, 4=candy, 3=banana}, {3=banana, 4=candy}]
--
-- Of several values of one key, a map keeps the smallest, and NULL only if there is no other; Hivemall keeps the last that it
-- reads. So map_values(to_ordered_map(score, itemid, true)) loses items with equal scores. Use to_ordered_list(itemid, score,
-- '-reverse') to keep all.
{% from "hivemall/internal/ordered.jinja" import pairs_by_key %}
CREATE OR REPLACE TEMP MACRO to_ordered_map
    (key, value) AS
        coalesce(map_from_entries({{ pairs_by_key("key", "value") | indent(8) }}), map {}),

    (key, value, reverse BOOLEAN) AS
        coalesce(map_from_entries(CASE
            WHEN reverse IS NULL THEN error('to_ordered_map: reverse must be true or false, got NULL')
            WHEN reverse THEN list_reverse({{ pairs_by_key("key", "value") | indent(12) }})
            ELSE {{ pairs_by_key("key", "value") | indent(12) }}
        END), map {}),

    (key, value, k BIGINT) AS
        coalesce(map_from_entries(CASE
            WHEN k IS NULL OR k = 0
            THEN error('to_ordered_map: k must be an integer other than 0, got ' || coalesce(k::VARCHAR, 'NULL'))
            WHEN k > 0 THEN list_reverse({{ pairs_by_key("key", "value") | indent(12) }})[:k]
            ELSE {{ pairs_by_key("key", "value") | indent(12) }}[:-k]
        END), map {}),

    (key, value, reverse_or_k) AS
        error('to_ordered_map: the third argument must be BOOLEAN (reverse) or an integer (k), got '
            || typeof(reverse_or_k));
