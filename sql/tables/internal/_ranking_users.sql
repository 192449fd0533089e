-- Internal: each measure of each user at each k.
--
-- rec, truth: names of tables, as query_table takes them
-- names:      what _ranking_names gives
-- ks, measures, usual, ties, min_grade, unjudged: as for ranking_by_user
-- usual:      a text of measures where measures is NULL; NULL for all columns
-- caller:     the function that an error names
-- Returns:    what ranking_by_user does, and what _ranking_judged adds to it; without truth, no number means anything
-- Example:    FROM _ranking_users(
--     'rec', 'truth', _ranking_names('userid', 'itemid', 'score', NULL, NULL, true), [5, 10], 'ndcg', NULL, 'item', NULL, 'miss',
--     'ranking_by_user');
CREATE OR REPLACE TEMP MACRO _ranking_users(rec, truth, names, ks, measures, usual, ties, min_grade, unjudged, caller) AS TABLE
WITH _ranking_item AS NOT MATERIALIZED (
    FROM _ranking_judged(rec, truth, names, _ranking_longest(ks), false, caller, min_grade, unjudged)
), _ranking_item_at_own_ks AS NOT MATERIALIZED (
    FROM _ranking_judged(rec, truth, names, _ranking_longest(_ranking_all_ks(ks, measures)), false, caller, min_grade, unjudged)
), _ranking_expected AS NOT MATERIALIZED (
    SELECT * REPLACE (tied AS judged)
    FROM _ranking_tied_judged(rec, truth, names, _ranking_longest(ks), caller, min_grade, unjudged)
), _ranking_expected_at_own_ks AS NOT MATERIALIZED (
    SELECT * REPLACE (tied AS judged)
    FROM _ranking_tied_judged(rec, truth, names, _ranking_longest(_ranking_all_ks(ks, measures)), caller, min_grade, unjudged)
), _ranking_given_ks AS NOT MATERIALIZED (
    SELECT _ranking_cuts(ks, caller) AS given
), _ranking_any_ks AS NOT MATERIALIZED (
    SELECT CASE WHEN ks IS NULL THEN [] ELSE _ranking_cuts(ks, caller) END AS given
), _ranking_wrong_measures AS NOT MATERIALIZED (
    FROM query(_ranking_measures_problem(measures, ties, caller))
), _ranking_own_measures AS NOT MATERIALIZED (
    FROM query(replace(
        _ranking_users_query(_ranking_choices(measures, usual), _ranking_ties_choice(ties, false, true, caller), min_grade),
        '@',
        _ranking_home()))
), _ranking_plain_measures AS NOT MATERIALIZED (
    FROM query(replace(
        _ranking_plain_query(
            _ranking_plain_names(measures, usual), _ranking_ties_choice(ties, false, true, caller), min_grade),
        '@',
        _ranking_home()))
)
-- A CTE that is not chosen is not planned.
FROM query_table(CASE WHEN _ranking_are_plain(measures, usual) THEN '_ranking_plain_measures' ELSE '_ranking_own_measures' END);
