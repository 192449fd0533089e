-- Internal: the kind of result that the options of to_ordered_list ask for: 'list', 'kv_map' or 'vk_map'.
--
-- Example:
--   SELECT _ranking_order_returns('-k 2'), _ranking_order_returns('-k 2 -kv');
--   list    kv_map

CREATE OR REPLACE TEMP MACRO _ranking_order_returns(options) AS
    CASE
        WHEN contains(concat(options), '-kv') THEN 'kv_map'
        WHEN contains(concat(options), '-vk') THEN 'vk_map'
        ELSE 'list'
    END;
