-- Internal: what each user's two values of a measure are, the baseline's and the system's, for every pair of systems.
-- Used by _ranking_compared.
--
-- scores:   name of a table, as _ranking_compared takes it
-- pairs:    name of a table, as _ranking_comparisons gives it
-- Returns:  pair (its number), k, ranking_segment, place (that of the measure in numbers), ours, theirs
--           (the baseline's value and the system's; both NULL if either is), difference (theirs - ours)
-- Example:  FROM _ranking_paired('scores', 'pairs');
CREATE OR REPLACE TEMP MACRO _ranking_paired(scores, pairs) AS TABLE
SELECT
    pair,
    k,
    ranking_segment,
    place,
    CASE WHEN theirs IS NOT NULL THEN ours END AS ours,
    CASE WHEN ours IS NOT NULL THEN theirs END AS theirs,
    CASE WHEN abs(theirs - ours) <= 1e-12 THEN 0 ELSE theirs - ours END AS difference
FROM (
    SELECT
        coalesce(ours.pair, theirs.pair) AS pair,
        coalesce(ours.k, theirs.k) AS k,
        coalesce(ours.ranking_segment, theirs.ranking_segment) AS ranking_segment,
        unnest(range(1, len(coalesce(ours.numbers, theirs.numbers)) + 1)) AS place,
        unnest(ours.numbers) AS ours,
        unnest(theirs.numbers) AS theirs
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
        AND ours.ranking_segment IS NOT DISTINCT FROM theirs.ranking_segment
);
