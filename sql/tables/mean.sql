-- The mean of DOUBLEs, the same on any number of threads and in any order of the rows, as that of avg is not.
--
-- An integer sum of what they are in fixed point, exact above 2^-27, and beyond 2^20 the sum in their own order.
--
-- number:  a DOUBLE of each row; NULLs do not count
-- Returns: DOUBLE; NULL if there is no number
-- Example: SELECT ranking.mean(x) FROM (VALUES (0.5), (0.25)) AS t(x);  -- 0.375
{% from "tables/internal/means.jinja" import mean %}
CREATE OR REPLACE MACRO ranking.mean(number) AS
{{ mean("number", false) }};
