-- Internal: the list of each user's relevant or judged items, with their grades.
--
-- truth:   name of a table, as query_table takes it
-- names:   what _ranking_names gives
-- caller:  the function that an error names
-- Returns: userid, items (none twice); grades (NULL without a column rel; of an item twice in truth, the highest)
-- Example: FROM _ranking_truth_lists(
--     'truth', _ranking_names('userid', 'itemid', 'score', NULL, NULL, true), 'ranking_judged');
CREATE OR REPLACE TEMP MACRO _ranking_truth_lists(truth, names, caller) AS TABLE
SELECT
    userid,
    CASE
        WHEN _ranking_has_repeats(items) THEN _ranking_distinct_items(list_sort(items, 'ASC'))
        ELSE coalesce(items, [])
    END AS items,
    NULL::DOUBLE[] AS grades
FROM (
    SELECT userid, list(itemid) FILTER (itemid IS NOT NULL) AS items
    FROM _ranking_truths(truth, names)
    WHERE userid IS NOT NULL AND NOT _ranking_has(truth, names['grade'], 'rel')
    GROUP BY userid
)
UNION ALL
SELECT
    userid,
    list_transform(coalesce(graded, []), lambda one: one.itemid),
    list_transform(coalesce(graded, []), lambda one: one.grade)
FROM (
    SELECT userid, list({'itemid': itemid, 'grade': grade}) FILTER (itemid IS NOT NULL) AS graded
    FROM (
        SELECT userid, itemid, max(grade) AS grade
        FROM (
            SELECT userid, itemid, _ranking_finite_grade(itemid, rel, names, caller) AS grade
            FROM _ranking_truths(truth, names)
            WHERE userid IS NOT NULL AND _ranking_has(truth, names['grade'], 'rel')
        )
        GROUP BY userid, itemid
    )
    GROUP BY userid
);
