-- Internal: the problems of each user in truth.
--
-- truth:   name of a table, as query_table takes it
-- names:   what _ranking_names gives
-- Returns: place (among all problems), problem, count, example
-- Example: FROM _ranking_truth_problems('truth', _ranking_names('userid', 'itemid', 'score', NULL, NULL, true));
CREATE OR REPLACE TEMP MACRO _ranking_truth_problems(truth, names) AS TABLE
SELECT unnest(_ranking_problems([
    -- Whether there is any: see ranking_check.
    (6, concat('truth: no ', grade_name, ' is above 0, so nothing is relevant'), n, grade_name || ' ' || highest),
    (-6, '', n_relevant, NULL),
    (21, concat('truth: ', names['user'], ' is NULL'), (userid IS NULL)::INTEGER * n, _ranking_row(names, userid, item)),
    (22, concat('truth: ', names['item'], ' is NULL'), n - n_items, _ranking_row(names, userid, NULL)),
    (23, concat('truth: ', grade_name, ' is NULL'), n_without_grade, _ranking_row(names, userid, without_grade)),
    (
        24,
        concat('truth: ', grade_name, ' is NaN or infinite'),
        n_infinite,
        concat(_ranking_row(names, userid, infinite['item']), ', ', grade_name, ' ', infinite['rel'])
    ),
    (
        25,
        concat('truth: ', grade_name, ' is negative'),
        n_negative,
        concat(_ranking_row(names, userid, negative['item']), ', ', grade_name, ' ', negative['rel'])
    ),
    (
        26,
        concat('truth: (', names['user'], ', ', names['item'], ') repeated'),
        len(items) - len(_ranking_distinct(items)),
        _ranking_row(names, userid, list_min(list_filter(items, lambda item, i: item = items[i - 1])))
    )
]), recursive := true)
FROM (
    SELECT
        userid,
        coalesce(names['grade']::VARCHAR, 'rel') AS grade_name,
        count(*) AS n,
        count(itemid) AS n_items,
        count(*) FILTER (has_grade AND rel IS NULL) AS n_without_grade,
        count(*) FILTER (NOT isfinite(grade)) AS n_infinite,
        count(*) FILTER (isfinite(grade) AND grade < 0) AS n_negative,
        count(*) FILTER (NOT has_grade OR grade > 0) AS n_relevant,
        max(grade) AS highest,
        min(itemid) FILTER (userid IS NULL) AS item,
        min(itemid) FILTER (has_grade AND rel IS NULL) AS without_grade,
        min({'item': itemid, 'rel': rel}) FILTER (NOT isfinite(grade)) AS infinite,
        min({'item': itemid, 'rel': rel}) FILTER (isfinite(grade) AND grade < 0) AS negative,
        list_sort(list(itemid) FILTER (userid IS NOT NULL AND itemid IS NOT NULL), 'ASC') AS items
    FROM (
        SELECT *, TRY_CAST(rel AS DOUBLE) AS grade, _ranking_has(truth, names['grade'], 'rel') AS has_grade
        FROM _ranking_truths(truth, names)
    )
    GROUP BY userid
);
