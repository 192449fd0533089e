-- _ranking_exact_sum(number): the sum of DOUBLEs, each to 53 bits after the point: the same on any threads and in any
-- order of the rows. Internal: used by personalization.
--
-- Example:
--   SELECT _ranking_exact_sum(x) FROM (VALUES (0.5), (0.25)) AS t(x);
--   0.75

CREATE OR REPLACE TEMP MACRO _ranking_exact_sum(number) AS
    sum((number * 2 ** 53)::HUGEINT) / 2 ** 53;
