-- The pairs of a group as a MAP that is ordered by key.
--
-- key:     what to order by, of any type
-- value:   what belongs to the key, of any type
-- reverse: BOOLEAN: true for descending keys; false, the default, for ascending keys
-- k:       INTEGER in its place: positive for the k largest keys, descending; negative for the |k| smallest, ascending
-- Returns: MAP(key -> value). Rows whose key is NULL are skipped (Hivemall); a NULL value is kept. A group without a key
--          gives an empty map. NaN counts as the largest number, as everywhere in DuckDB and in Java.
-- Errors:  k = 0 or NULL, reverse NULL, a third argument that is neither BOOLEAN nor an integer
-- Source:  Hivemall, to_ordered_map; https://hivemall.apache.org/userguide/misc/generic_funcs.html
-- Example: SELECT [to_ordered_map(key, value, true), to_ordered_map(key, value, -2)]
--          FROM (VALUES (10, 'apple'), (3, 'banana'), (4, 'candy')) AS t(key, value);
--          -- [{10=apple, 4=candy, 3=banana}, {3=banana, 4=candy}]
--
-- A map holds a key once. Of the values of one key the smallest stays, and NULL only if there is no other: it is the
-- value that comes first in to_ordered_list(value, key), where ties in key are ordered by value. (Hivemall keeps the
-- value it meets last.) So items with equal scores do get lost in map_values(to_ordered_map(score, itemid, true));
-- to_ordered_list(itemid, score, '-reverse') keeps them all and is faster, because DuckDB looks for duplicates whenever
-- it makes a MAP.
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
