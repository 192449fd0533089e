-- The mean of every measure over the users with truth, for every k.
--
-- rec, truth: tables with userid, itemid, score and userid, itemid [, rel], as for ranking_judged
-- ks:         LIST of cut-offs; NULL among them means the whole list, 0 the empty one
-- ties:       'item': in the order of their itemids; 'expected': each measure's expected value over all orders of the
--             items that tie, in closed form, without the columns of the measures that have none; with other
--             options than the defaults: see Tables in sql/README.md
-- user_col, ..., descending, min_grade, unjudged: as for ranking_judged
-- Returns:    [system,] k, users (all with truth), users_without_rec (of them; each counts as an empty list: 0, AUC 0.5),
--             users_without_truth (in rec, left out), users_without_relevant (of users: no item of their truth is
--             relevant), a DOUBLE per measure with its default options; those that a query does not select are not
--             computed
-- Errors:     as for ranking_judged; a k in ks that is no integer or below 0; ks that are none
-- Example:    SELECT system, k, users, recall, ndcg FROM ranking_summary('rec', 'truth', [5, 10]);
--
-- min_grade is not the same as a truth of high grades alone: users without any of these stay, and count 0; with WHERE
-- they leave the mean. Of the ratings in the example, recall at 10 of `similar` with min_grade := 4 is 0.594, of 30
-- users, 5 of them users_without_relevant; of a truth WHERE stars >= 4 it is 0.713, of 25 users.
CREATE OR REPLACE TEMP MACRO ranking_summary(
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
        'ranking_summary',
        min_grade,
        unjudged
    )
), _ranking_expected AS NOT MATERIALIZED (
    FROM _ranking_expected_by_user(
        rec,
        truth,
        _ranking_names(user_col, item_col, score_col, grade_col, system_col, descending),
        ks,
        'ranking_summary',
        min_grade,
        unjudged
    )
)
FROM _ranking_measure_means(
    _ranking_ties_choice(ties, '_ranking_by_item', '_ranking_expected', 'ranking_summary')
);
