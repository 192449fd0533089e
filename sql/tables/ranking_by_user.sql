-- Every measure for every user with truth and every k.
--
-- rec, truth: tables with userid, itemid, score and userid, itemid [, rel], as for ranking_judged
-- ks:         LIST of cut-offs; NULL among them means the whole list, 0 the empty one
-- ties:       'item': in the order of their itemids; 'expected': each measure's expected value over all orders of the
--             items that tie, in closed form, without the columns of the measures that have none; with other
--             options than the defaults: see Tables in sql/README.md
-- user_col, ..., descending, min_grade, unjudged: as for ranking_judged
-- Returns:    [system,] userid, k, n_rec (rows in rec), n_truth (relevant items), a DOUBLE per measure with its
--             default options; those that a query does not select are not computed
-- Errors:     as for ranking_judged; a k in ks that is no integer or below 0; ks that are none
-- Example:    SELECT system, userid, ndcg FROM ranking_by_user('rec', 'truth', [10])
--             ORDER BY ndcg, userid, system LIMIT 3;
CREATE OR REPLACE TEMP MACRO ranking_by_user(
    rec, truth, ks, ties := 'item',
    user_col := 'userid', item_col := 'itemid', score_col := 'score', grade_col := NULL, system_col := NULL,
    descending := true, min_grade := NULL, unjudged := 'miss'
) AS TABLE
WITH _ranking_by_item AS NOT MATERIALIZED (
    FROM _ranking_by_user(
        rec,
        truth,
        _ranking_names(user_col, item_col, score_col, grade_col, system_col, descending),
        ks,
        'ranking_by_user',
        min_grade,
        unjudged
    )
), _ranking_expected AS NOT MATERIALIZED (
    FROM _ranking_expected_by_user(
        rec,
        truth,
        _ranking_names(user_col, item_col, score_col, grade_col, system_col, descending),
        ks,
        'ranking_by_user',
        min_grade,
        unjudged
    )
)
SELECT * EXCLUDE (ranking_system, has_truth)
FROM query_table(_ranking_ties_choice(ties, '_ranking_by_item', '_ranking_expected', 'ranking_by_user'))
WHERE has_truth;
