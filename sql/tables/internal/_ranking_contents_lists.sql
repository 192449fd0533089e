-- Internal: the different items of each list of recommendations, for the measures of what is in them.
--
-- rec, history, items, head, divergence, category_col: as for ranking_beyond_accuracy_by_user
-- names:      what _ranking_names gives
-- ks:         LIST of cut-offs
-- caller:     the function that an error names
-- Returns:    [system,] ranking_system, userid, n_rec (rows in rec), list (a number of its own), recommended (LIST, best first,
--             cut at the largest k; a later row of an item is NULL)
-- Example:    FROM _ranking_contents_lists(
--     'rec', NULL, NULL, _ranking_names('userid', 'itemid', 'score', '', NULL, true), [10], 0.8, 'js', 'category', 'f');
CREATE OR REPLACE TEMP MACRO _ranking_contents_lists(
    rec, history, items, names, ks, head, divergence, category_col, caller
) AS TABLE
SELECT
    systems.*,
    lists.userid,
    n_rec,
    row_number() OVER () AS list,
    CASE
        WHEN _ranking_has_repeats(lists.items)
            THEN list_transform(
                lists.items, lambda item, place: CASE WHEN list_position(lists.items, item) = place THEN item END)
        ELSE lists.items
    END AS recommended
FROM _ranking_rec_lists(rec, rec, names, _ranking_longest(ks), false) AS lists
JOIN _ranking_systems(rec, names) AS systems ON lists.system IS NOT DISTINCT FROM systems.ranking_system
WHERE (
    SELECT coalesce(
        error(caller || ': ' || _ranking_contents_misfit(
            rec, history, items, names, head, divergence, category_col))::BOOLEAN,
        true)
);
