-- Internal: what each user's values are, the baseline's and the system's, for every pair of systems.
--
-- scores:  name of a table, as _ranking_comparison takes it
-- pairs:   name of a table, as _ranking_system_pairs gives it
-- Returns: pair (its number), k, ranking_segment, baseline_values and system_values (DOUBLE[]; one of them NULL if the
--          user is not there), baseline_has_rec and system_has_rec (whether there is a list; NULL if that is not known)
-- Example: FROM _ranking_paired_values('scores', 'pairs');
CREATE OR REPLACE TEMP MACRO _ranking_paired_values(scores, pairs) AS TABLE
SELECT
    coalesce(of_baseline.pair, of_system.pair) AS pair,
    coalesce(of_baseline.k, of_system.k) AS k,
    coalesce(of_baseline.ranking_segment, of_system.ranking_segment) AS ranking_segment,
    of_baseline.numbers AS baseline_values,
    of_system.numbers AS system_values,
    of_baseline.has_rec AS baseline_has_rec,
    of_system.has_rec AS system_has_rec
FROM (
    SELECT pair, userid, k, ranking_segment, numbers, has_rec
    FROM query_table(scores) AS scores_of
    JOIN query_table(pairs) AS pairs_of ON scores_of.system IS NOT DISTINCT FROM pairs_of.baseline
) AS of_baseline
FULL JOIN (
    SELECT pair, userid, k, ranking_segment, numbers, has_rec
    FROM query_table(scores) AS scores_of
    JOIN query_table(pairs) AS pairs_of ON scores_of.system IS NOT DISTINCT FROM pairs_of.system
) AS of_system
    ON of_baseline.pair = of_system.pair
    AND of_baseline.userid = of_system.userid
    AND of_baseline.k IS NOT DISTINCT FROM of_system.k
    AND of_baseline.ranking_segment IS NOT DISTINCT FROM of_system.ranking_segment;
