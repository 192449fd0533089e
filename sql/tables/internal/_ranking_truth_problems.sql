-- Internal: the problems of each user in truth.
--
-- truth:     name of a table, as query_table takes it
-- names:     what _ranking_names gives
-- min_grade: as for ranking_check
-- Returns:   userid, n_relevant (at least so many items), problems: LIST of what _ranking_problem gives
-- Example:   FROM _ranking_truth_problems('truth', _ranking_names('userid', 'itemid', 'score', NULL, NULL, true));
CREATE OR REPLACE TEMP MACRO _ranking_truth_problems(truth, names, min_grade := NULL) AS TABLE
SELECT
    userid,
    n_relevant - coalesce(len(items) - list_unique(items), 0) AS n_relevant,
    _ranking_problems([
        -- A problem only if no user has a relevant item: see _ranking_problem_rows.
        _ranking_problem(
            6,
            concat(
                'truth: no ', grade_name, ' is ', coalesce(format('{:g}', TRY_CAST(min_grade AS DOUBLE)) || ' or above', 'above 0'),
                ', so nothing is relevant'),
            NULL,
            CASE WHEN highest IS NOT NULL AND n_relevant = 0 THEN n END,
            grade_name || ' ' || highest),
        _ranking_problem(
            21, concat('truth: ', names['user'], ' is NULL'), NULL, CASE WHEN userid IS NULL THEN n END,
            _ranking_row(names, userid, item)),
        _ranking_problem(
            22, concat('truth: ', names['item'], ' is NULL'), NULL, n - n_items, _ranking_row(names, userid, NULL)),
        _ranking_problem(
            23, concat('truth: ', grade_name, ' is NULL'), NULL, n_without_grade, _ranking_row(names, userid, without_grade)),
        _ranking_problem(
            24,
            concat('truth: ', grade_name, ' is NaN or infinite'),
            NULL,
            n_infinite,
            concat(_ranking_row(names, userid, infinite['item']), ', ', grade_name, ' ', infinite['rel'])),
        _ranking_problem(
            25,
            concat('truth: ', grade_name, ' is negative'),
            NULL,
            n_negative,
            concat(_ranking_row(names, userid, negative['item']), ', ', grade_name, ' ', negative['rel'])),
        _ranking_problem(
            26,
            concat('truth: (', names['user'], ', ', names['item'], ') repeated'),
            NULL,
            len(items) - list_unique(items),
            _ranking_row(names, userid, _ranking_repeated_item(items))),
        _ranking_problem(
            27, 'truth: users without a relevant item', NULL, (userid IS NOT NULL AND n_relevant = 0)::INTEGER,
            concat(names['user'], ' ', userid::VARCHAR))
    ]) AS problems
FROM (
    SELECT
        userid,
        coalesce(names['grade']::VARCHAR, 'rel') AS grade_name,
        count(*) AS n,
        count(itemid) AS n_items,
        count(*) FILTER (has_grade AND rel IS NULL) AS n_without_grade,
        count(*) FILTER (NOT isfinite(grade)) AS n_infinite,
        count(*) FILTER (isfinite(grade) AND grade < 0) AS n_negative,
        count(itemid) FILTER (grade >= _ranking_lowest_grade(min_grade)) AS n_relevant,
        max(grade) AS highest,
        min(itemid) FILTER (userid IS NULL) AS item,
        min(itemid) FILTER (has_grade AND rel IS NULL) AS without_grade,
        min({'item': itemid, 'rel': rel}) FILTER (NOT isfinite(grade)) AS infinite,
        min({'item': itemid, 'rel': rel}) FILTER (isfinite(grade) AND grade < 0) AS negative,
        list(itemid) FILTER (userid IS NOT NULL AND itemid IS NOT NULL) AS items
    FROM (
        SELECT *, CASE WHEN has_grade THEN TRY_CAST(rel AS DOUBLE) ELSE 1 END AS grade
        FROM (SELECT *, _ranking_has(truth, names['grade'], 'rel') AS has_grade FROM _ranking_truths(truth, names))
    )
    GROUP BY userid
);
