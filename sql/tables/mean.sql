-- Computes the mean of DOUBLEs, with the same result for any number of threads and order of rows, unlike avg.
--
-- Numbers are added as integers in fixed point, exact above 2^-27; from 2^20 on, by fsum.
--
-- number:  a DOUBLE per row; NULLs are ignored
-- Returns: DOUBLE; NULL if there is no number
-- Example: SELECT ranking.mean(x) FROM (VALUES (0.5), (0.25)) AS t(x);  -- 0.375
{% from "tables/internal/means.jinja" import mean %}
CREATE OR REPLACE MACRO ranking.mean(number) AS
{{ mean("number", false) }};
