-- What is in each user's list, for every k: how popular, new, diverse and like the user's own history.
--
-- rec:        a table with userid, itemid, score [, system], as for ranking_judged; no truth is needed
-- ks:         LIST of cut-offs; NULL among them means the whole list
-- history:    a table with userid, itemid: what users had before; a pair counts once
-- items:      a table with itemid, category: the catalogue; an item may have several rows, or a NULL for no category
-- head:       the share of the pairs of history that the most popular items have, of which long_tail is what is left
-- divergence: that of miscalibration: 'js' (Jensen-Shannon, 0 to 1) or 'kl' (Kullback-Leibler, as Steck has it), in bits
-- category_col: what the column of categories is called; by default category
-- user_col, ..., descending: as for ranking_judged, of all tables that have such a column
-- Returns:    [system,] userid, k, n_rec (rows in rec), n_items (different items in the top k), and a DOUBLE for each
--             measure whose tables are given; NULL for a list without an item
-- Errors:     a table that is not there; a column that is missing or of a type that does not fit; a column that looks like
--             systems or runs in rec and is not named; ks as for ranking_by_user; a history without a pair of user and item;
--             head not in [0, 1]; divergence that is not js or kl
-- Source:     Abdollahpouri, Mansoury, Burke and Mobasher (2019), popularity and long tail; Zhou et al. (2010) and Vargas and
--             Castells (2011), novelty; Ziegler et al. (2005), diversity; Steck (2018), miscalibration
-- Example:    WITH rated AS (SELECT customer_id AS userid, sku AS itemid
--                 FROM 'examples/dbt_project/seeds/ratings.csv' WHERE rated_on < '2026-05-22')
--             SELECT system, userid, popularity, novelty, repeats
--             FROM ranking_beyond_accuracy_by_user('rec', [10], history := 'rated')
--             ORDER BY popularity DESC, userid, system LIMIT 3;
CREATE OR REPLACE TEMP MACRO ranking_beyond_accuracy_by_user(
    rec, ks, history := NULL, items := NULL, head := 0.8, divergence := 'js',
    user_col := 'userid', item_col := 'itemid', score_col := 'score', system_col := NULL, category_col := NULL,
    descending := true
) AS TABLE
WITH _ranking_lists AS MATERIALIZED (
    FROM _ranking_contents_lists(
        rec, _ranking_table('history', history), _ranking_table('items', items),
        _ranking_names(user_col, item_col, score_col, '', system_col, descending),
        ks, head, divergence, category_col, 'ranking_beyond_accuracy_by_user'
    )
)
SELECT COLUMNS(lambda c: _ranking_is_contents_column(c, history, items))
FROM _ranking_contents_by_user(
    '_ranking_lists', rec, history, items,
    _ranking_names(user_col, item_col, score_col, '', system_col, descending),
    _ranking_cuts(ks, 'ranking_beyond_accuracy_by_user'), head, divergence, category_col, 'ranking_beyond_accuracy_by_user'
);
