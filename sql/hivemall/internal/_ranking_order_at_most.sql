-- Internal: the number of values the options of to_ordered_list ask for, a billion without -k.
--
-- Example:
--   SELECT _ranking_order_at_most('-reverse -k -2');
--   2

CREATE OR REPLACE TEMP MACRO _ranking_order_at_most(options) AS
    coalesce(abs(TRY_CAST(regexp_extract(concat(options), '-k\s+(\S+)', 1) AS INTEGER)), 1_000_000_000);
