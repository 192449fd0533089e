-- Internal: each user's two values of every measure, and their difference.
--
-- matched: name of a table, as _ranking_matched gives it
-- Returns: pair, k, ranking_segment, place (that of the measure in the lists), ours, theirs (both NULL if either is),
--          difference (theirs - ours; 0 up to 1e-12)
-- Example: FROM _ranking_paired('matched');
CREATE OR REPLACE TEMP MACRO _ranking_paired(matched) AS TABLE
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
        pair,
        k,
        ranking_segment,
        unnest(range(1, coalesce(len(ours), len(theirs)) + 1)) AS place,
        unnest(ours) AS ours,
        unnest(theirs) AS theirs
    FROM query_table(matched) AS matched
);
