-- Computes mean precision and mean recall over the users with truth, at each rank from 1 to max_k.
--
-- Returns:    One row per system and rank, in the order of k: [system,] k, "precision", recall.
-- Example:    FROM ranking.precision_recall_curve('rec', 'truth', 2);
CREATE OR REPLACE MACRO ranking.precision_recall_curve(ARGUMENTS) AS TABLE
{% import "tables/internal/cutting.jinja" as cutting %}
{% import "tables/internal/means.jinja" as means %}
WITH {{ cutting.measured(of) }}, means AS NOT MATERIALIZED (
    SELECT
        {{ of.keys }}, k,
        {{ means.mean("measured.precision", true) | indent(8) }} AS "precision",
        {{ means.mean("measured.recall", true) | indent(8) }} AS recall
    FROM measured
    WHERE has_truth
    GROUP BY ALL
)
SELECT {{ of.system_first }}* EXCLUDE (ranking_system)
FROM means
ORDER BY k ASC NULLS LAST, ranking_system ASC NULLS LAST
