-- Internal: say whether the options of to_ordered_list ask for descending keys.
--
-- Example:
--   SELECT _ranking_order_descending('-k 2'), _ranking_order_descending('-k 2 -reverse');
--   true    false

-- concat(options), where a cast might do: DuckDB must not ask, when it creates a macro, whether it is a constant.
CREATE OR REPLACE TEMP MACRO _ranking_order_descending(options) AS
    regexp_matches(concat(options), '-k\s+\+?\d') <> contains(concat(options), '-reverse');
