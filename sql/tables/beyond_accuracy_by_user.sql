-- Popularity, novelty, diversity and calibration of each user's list, for every k.
--
-- rec:        a table with userid, itemid, score [, system], as for ranking.judged; no truth is needed
-- ks:         LIST of cutoffs; NULL among them means the whole list
-- history:    a table with userid, itemid: what users had before; a pair counts once
-- items:      a table with itemid, category: the catalog; an item may have several rows, or a NULL for no category
-- head:       the share of the pairs of history that the most popular items have, of which long_tail is what is left
-- divergence: that of miscalibration: 'js' (Jensen-Shannon, 0 to 1) or 'kl' (Kullback-Leibler, as Steck has it), in bits
-- category_col: what the column of categories is called; by default category
-- user_col, ..., descending: as for ranking.judged, of all tables that have such a column
-- Returns:    [system,] userid, k, n_rec (rows in rec), n_items (different items in the top k), and a DOUBLE for each
--             measure whose tables are given; NULL for a list without an item
-- Errors:     a table that is not there; a column that is missing or of a type that does not fit; a column that looks like
--             systems or runs in rec and is not named; ks as for ranking.by_user; a history without a pair of user and item;
--             head not in [0, 1]; divergence that is not js or kl
-- Source:     Abdollahpouri, Mansoury, Burke and Mobasher (2019), popularity and long tail; Zhou et al. (2010) and Vargas
--             and Castells (2011), novelty; Ziegler et al. (2005), diversity; Steck (2018), miscalibration
-- Example:    WITH rated AS (SELECT customer_id AS userid, sku AS itemid
--                 FROM 'examples/dbt_project/seeds/ratings.csv' WHERE rated_on < '2026-05-22')
--             SELECT system, userid, popularity, novelty, repeats
--             FROM ranking.beyond_accuracy_by_user('rec', [10], history := 'rated')
--             ORDER BY popularity DESC, userid, system LIMIT 3;
--
-- L are the different items of the top k; one that is NULL or there before takes up a place. All users with a row in rec
-- count. Of a history with U users, u(i) is the number of those who have item i.
--
-- popularity: the mean of u(i) / U over L; an item that history does not have is 0. RecTools and RecBole give the mean of
-- u(i), or of rows; Evidently leaves unknown items out. profile_popularity: the same over what the user has in history; NULL
-- without a history, as repeats is, and for a list without items, so that its mean is over the users of popularity's.
--
-- novelty: the mean of -log2(max(u(i), 1) / U): an item that nobody has is as if one user had it. As RecTools'
-- MeanInvUserFreq; RePlay's Surprisal divides by log2(U), recommenders takes shares of rows.
--
-- long_tail: the share of L outside the head: the most popular items, by u and then itemid, until they have the share
-- `head` of all pairs, the one that reaches it included. Items that history does not have are tail. RecBole takes the
-- least popular tenth of the items, which is another measure.
--
-- repeats: the share of L that the user has in history; RePlay calls 1 minus it Novelty. cold: the share of L that history
-- does not have.
--
-- diversity: the mean Jaccard distance of the sets of categories, over the pairs of items of L that have a category; NULL
-- below two such items, where RecTools has 0. Evidently divides by the items, not the pairs. categories: the different
-- categories in L, divided by all; RePlay divides by k.
--
-- miscalibration: how far the shares of categories in L are from those in the user's history, of items that have a
-- category. Each item spreads 1 over its categories; ranks do not count, which they do in Steck's paper and few programs.
-- 'kl' is KL(p, 0.99 q + 0.01 p) of history p and list q. NULL where either has no category.
--
-- Neither side of these is better by itself: ranking.compare_by_user calls a system higher or lower. Serendipity is left
-- out: RecTools, Evidently and recommenders give three measures that share nothing. Its parts are here: unlike the history
-- is miscalibration, and unexpected beside a baseline is 1 minus the share of items in common with its list.
CREATE OR REPLACE MACRO ranking.beyond_accuracy_by_user(
    rec, ks, history := NULL, items := NULL, head := 0.8, divergence := 'js',
    user_col := 'userid', item_col := 'itemid', score_col := 'score', system_col := NULL, category_col := NULL,
    descending := true) AS TABLE
{% import "tables/internal/contents.jinja" as contents %}
WITH {{ contents.contents(of) }}
SELECT {{ of.system_first }}* EXCLUDE (ranking_system{% if of.has_history %}, has_history{% endif %})
FROM contents
