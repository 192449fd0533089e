-- Internal: say whether the options of to_ordered_list are made of -k N, -reverse, -dedup and the words in maps, -k at
-- most once.
--
-- Example:
--   SELECT _ranking_order_valid('-k 2 -reverse', []), _ranking_order_valid('-k 0', []);
--   true    false

CREATE OR REPLACE TEMP MACRO _ranking_order_valid(options, maps) AS
    coalesce(list_has_all(
        list_concat(['', '-reverse', '-reverse_order', '-dedup'], maps),
        string_split_regex(trim(regexp_replace(' ' || options, '\s-k\s+[+-]?0*[1-9]\d{0,8}(\s|$)', ' ')), '\s+')
    ), false);
