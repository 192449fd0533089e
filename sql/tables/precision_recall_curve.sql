-- The mean precision and the mean recall over the users with truth, at each rank from 1 to max_k.
--
-- rec, truth, user_col, ..., descending, JUDGING: as for ranking.judged
-- max_k:      the last rank; not NULL, since the longest ranking may be very long
-- divide:     by what precision divides where a list is shorter than k: 'k', or 'list' for its length
-- Returns:    [system,] k, "precision", recall, in the order of k
-- Errors:     as for ranking.judged; max_k that is not from 0 to 2147483647, or NULL; a wrong divide
-- Example:    FROM ranking.precision_recall_curve('rec', 'truth', 3);
CREATE OR REPLACE MACRO ranking.precision_recall_curve(
    rec, truth, max_k, COLUMN_ARGUMENTS, divide := 'k', JUDGING_ARGUMENTS) AS TABLE
{% import "tables/internal/judging.jinja" as judging %}
{% import "tables/internal/cutting.jinja" as cutting %}
{% import "tables/internal/means.jinja" as means %}
WITH {{ judging.judged(of) }}, {{ cutting.measured(of) }}, means AS NOT MATERIALIZED (
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
