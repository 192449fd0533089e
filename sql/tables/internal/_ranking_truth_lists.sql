-- Internal: the right items of each user, and their grades. Used by _ranking_judged.
--
-- rec, truth: names of tables, as query_table takes them
-- caller:     the function that an error names
-- Returns:    userid, items, grades (NULL without a column rel; of an item twice in truth, the highest)
-- Example:    FROM _ranking_truth_lists('rec', 'truth', 'ranking_judged');
CREATE OR REPLACE TEMP MACRO _ranking_truth_lists(rec, truth, caller) AS TABLE
SELECT userid, coalesce(list(itemid) FILTER (itemid IS NOT NULL), []) AS items, NULL::DOUBLE[] AS grades
FROM query_table(truth) AS truths
WHERE userid IS NOT NULL AND NOT _ranking_has_rel(truth)
GROUP BY userid
UNION ALL
SELECT
    userid,
    coalesce(list(itemid) FILTER (itemid IS NOT NULL), []),
    coalesce(list(grade) FILTER (itemid IS NOT NULL), [])
FROM (
    SELECT userid, itemid, max(grade) AS grade
    FROM (
        SELECT
            userid,
            itemid,
            CASE
                WHEN itemid IS NULL OR isfinite(CAST(rel AS DOUBLE)) THEN CAST(rel AS DOUBLE)
                ELSE error(caller || ': rel must be a finite number, got ' || coalesce(rel::VARCHAR, 'NULL'))
            END AS grade
        FROM (
            SELECT userid, itemid, CASE WHEN _ranking_valid(rec, truth, caller) THEN rel END AS rel
            FROM (FROM query_table(truth) AS truths UNION ALL BY NAME SELECT NULL AS rel WHERE false)
            WHERE userid IS NOT NULL AND _ranking_has_rel(truth)
        )
    )
    GROUP BY userid, itemid
)
GROUP BY userid;
