-- Internal: what each user's values are, the baseline's and the system's, for every pair of systems.
--
-- scores:  name of a table, as _ranking_compared takes it
-- pairs:   name of a table, as _ranking_comparisons gives it
-- Returns: pair (its number), k, ranking_segment, ours and theirs (DOUBLE[]; one of them NULL if the user is not there)
-- Example: FROM _ranking_matched('scores', 'pairs');
CREATE OR REPLACE TEMP MACRO _ranking_matched(scores, pairs) AS TABLE
SELECT
    coalesce(ours.pair, theirs.pair) AS pair,
    coalesce(ours.k, theirs.k) AS k,
    coalesce(ours.ranking_segment, theirs.ranking_segment) AS ranking_segment,
    ours.numbers AS ours,
    theirs.numbers AS theirs
FROM (
    SELECT pair, userid, k, ranking_segment, numbers
    FROM query_table(scores) AS ours
    JOIN query_table(pairs) AS pairs ON ours.system IS NOT DISTINCT FROM pairs.baseline
) AS ours
FULL JOIN (
    SELECT pair, userid, k, ranking_segment, numbers
    FROM query_table(scores) AS theirs
    JOIN query_table(pairs) AS pairs ON theirs.system IS NOT DISTINCT FROM pairs.system
) AS theirs
    ON ours.pair = theirs.pair
    AND ours.userid = theirs.userid
    AND ours.k IS NOT DISTINCT FROM theirs.k
    AND ours.ranking_segment IS NOT DISTINCT FROM theirs.ranking_segment;
