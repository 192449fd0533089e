-- Internal: one value that orders by key, in the direction that the options of to_ordered_list ask for, and then by
-- value.
--
-- Example:
--   SELECT _ranking_order_rank(2, 'a', '-reverse') < _ranking_order_rank(1, 'a', '-reverse');
--   true

CREATE OR REPLACE TEMP MACRO _ranking_order_rank(key, value, options) AS
    create_sort_key(
        key, if(_ranking_order_descending(options), 'DESC NULLS LAST', 'ASC NULLS LAST'), value, 'ASC NULLS LAST');
