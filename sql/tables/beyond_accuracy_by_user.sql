-- Computes popularity, novelty, diversity and calibration of each user's list, for each cutoff.
--
-- Returns:    One row per system, user in rec and k, with the columns whose tables you pass. Measures are NULL for a list
--             without items. L is the set of different items in the top k; NULLs and repetitions take up ranks. u(i) of
--             the U users in history have item i.
--             `n_rec`, `n_items`: number of rows in rec, and of items in L.
--             `popularity`: mean of u(i) / U over L. An item that is not in history counts as 0.
--             `profile_popularity`: the same over the user's own history. NULL without a history or a list.
--             `novelty`: mean of -log2(max(u(i), 1) / U) over L.
--             `long_tail`: share of L outside the head: the most popular items, by u and then itemid, up to the item with
--             which they reach the share `head` of all pairs.
--             `repeats`: share of L in the user's own history; NULL without one.
--             `cold`: share of L that is not in history.
--             `diversity`: mean Jaccard distance between the category sets of two items of L, without items that have no
--             category. NULL for fewer than two items.
--             `categories`: share of all categories that are in L.
--             `miscalibration`: divergence of the category shares in L from those in the user's history. Each item
--             spreads a weight of 1 evenly over its categories, at any rank. 'kl' is KL(p, 0.99 q + 0.01 p) for history p
--             and list q. NULL if either has no category.
-- Errors:     A history without a pair of user and item.
-- Source:     Abdollahpouri et al. (2019), popularity and long tail; Zhou et al. (2010) and Vargas and Castells (2011),
--             novelty; Ziegler et al. (2005), diversity; Steck (2018), miscalibration
-- Example:    WITH rated AS (SELECT customer_id AS userid, sku AS itemid
--                 FROM 'examples/dbt_project/seeds/ratings.csv' WHERE rated_on < '2026-05-22')
--             SELECT system, userid, popularity, novelty, repeats
--             FROM ranking.beyond_accuracy_by_user('rec', [10], history := 'rated')
--             ORDER BY popularity DESC, userid, system LIMIT 1;
--
-- The arguments are those of ranking.beyond_accuracy. No direction is better, so ranking.compare_by_user reports 'higher'
-- or 'lower'.
CREATE OR REPLACE MACRO ranking.beyond_accuracy_by_user(ARGUMENTS) AS TABLE
{% import "tables/internal/contents.jinja" as contents %}
WITH {{ contents.contents(of) }}
SELECT {{ of.system_first }}* EXCLUDE (ranking_system{% if of.history is not none %}, has_history{% endif %})
FROM contents
