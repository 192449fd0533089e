-- The geometric mean of DOUBLEs, those below 0.00001 counting as that: trec_eval's gm_map, of average precision.
--
-- A mean in which users or queries that are served badly count for more: exp of the mean of ln(max(number, 0.00001)).
-- To compare two systems, compare the means of these logarithms, with ranking.compare_by_user.
--
-- number:  a DOUBLE of each row; NULLs do not count
-- Returns: DOUBLE; NULL if there is no number
-- Source:  Robertson (2006)
-- Example: SELECT round(ranking.geometric_mean(x), 9) FROM (VALUES (0.5), (0.125)) AS t(x);  -- 0.25
{% from "tables/internal/means.jinja" import mean %}
{# greatest alone would make a number of NULL. #}
CREATE OR REPLACE MACRO ranking.geometric_mean(number) AS
exp({{ mean("(CASE WHEN number IS NOT NULL THEN ln(greatest(number, 1e-5)) END)", false) }});
