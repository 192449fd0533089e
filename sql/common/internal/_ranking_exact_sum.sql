-- Internal: the sum of DOUBLEs, each to so many bits after the point: the same on any threads and in any order of the
-- rows.
--
-- Example:
--   SELECT _ranking_exact_sum(x, 53) FROM (VALUES (0.5), (0.25)) AS t(x);
--   0.75

CREATE OR REPLACE TEMP MACRO _ranking_exact_sum(number, bits) AS
    sum((number * 2 ** bits)::HUGEINT) / 2 ** bits;
