-- Internal: the ideal DCG of a judged ranking of relevant items of grade 1: the sum of ln(2) / ln(rank + 1) over the ranks of
-- the best list.
--
-- k:       BIGINT, how far to look
-- n:       BIGINT, the number of relevant items of truth
-- Returns: DOUBLE; NULL beyond 128
-- Example: SELECT _ranking_log2_ideal(2, 1);  -- 1.0
CREATE OR REPLACE TEMP MACRO _ranking_log2_ideal(k, n) AS
-- A table of constants, outside of any lambda: DuckDB computes it once, when it plans.
list_transform(
    range(1, 129), lambda n: list_sum(list_transform(range(1, n + 1), lambda rank: ln(2) / ln(rank + 1)))
)[least(k, n)];
