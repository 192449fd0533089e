-- Computes the geometric mean of DOUBLEs, with values below 0.00001 raised to 0.00001, as trec_eval does for gm_map.
--
-- The formula is exp of the mean of ln(max(number, 0.00001)). Badly served users weigh more than in a mean. To compare
-- two systems, pass the logarithms to ranking.compare_by_user.
--
-- number:  a DOUBLE per row; NULLs are ignored
-- Returns: DOUBLE; NULL if there is no number
-- Source:  Robertson (2006)
-- Example: SELECT round(ranking.geometric_mean(x), 9) FROM (VALUES (0.5), (0.125)) AS t(x);  -- 0.25
{% from "tables/internal/means.jinja" import mean %}
{# Without the CASE, greatest would turn NULL into a number. #}
CREATE OR REPLACE MACRO ranking.geometric_mean(number) AS
exp({{ mean("(CASE WHEN number IS NOT NULL THEN ln(greatest(number, 1e-5)) END)", false) }});
