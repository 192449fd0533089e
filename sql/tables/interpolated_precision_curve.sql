-- Computes the eleven-point curve: mean interpolated precision over the users with truth at recall 0, 0.1, ..., 1.
--
-- Returns:    One row per system and recall, in the order of recall: [system,] recall, "precision".
-- Example:    FROM ranking.interpolated_precision_curve('rec', 'truth') WHERE recall IN (0, 0.5);
CREATE OR REPLACE MACRO ranking.interpolated_precision_curve(ARGUMENTS) AS TABLE
{% import "tables/internal/cutting.jinja" as cutting %}
{% import "tables/internal/means.jinja" as means %}
WITH {{ cutting.measured(of) }}, means AS NOT MATERIALIZED (
    SELECT {{ of.keys }}, recall, {{ means.mean("interpolated", true) | indent(8) }} AS "precision"
    FROM measured
    WHERE has_truth
    GROUP BY ALL
)
SELECT {{ of.system_first }}* EXCLUDE (ranking_system)
FROM means
ORDER BY recall ASC NULLS LAST, ranking_system ASC NULLS LAST
