-- _ranking_order_returns(options): what the options of to_ordered_list make it return: 'list', 'kv_map' or 'vk_map'.
-- Internal.
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
