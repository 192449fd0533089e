-- The dissimilarity of different users' recommendations: 1 minus the mean similarity of two users' lists.
--
-- The similarity of two lists is the cosine of their binary item vectors, |a and b| / sqrt(|a| * |b|), which is |a and b|
-- / n for lists of n items. No two users are compared: with unit vectors v_1, ..., v_N, the cosines of all ordered pairs
-- of different users add up to |v_1 + ... + v_N|^2 - N, and component i of that sum is the sum of 1 / sqrt(length) over
-- the lists with item i. The work is proportional to the number of recommended items.
--
-- rec_list: LIST of item ids, one list per user (cut it to the wanted length first: rec[:10])
-- Returns:  DOUBLE in [0, 1]: 0 if all users get the same items, 1 if no two users share one. The order of a list does not
--           matter; an item that occurs several times in a list counts once, NULL not at all. Lists that are NULL or have
--           no item are left out, since they have no direction. Fewer than two lists give NULL.
-- Source:   recmetrics (C. Longo), personalization, which builds the matrix of all pairs
-- Example:  SELECT ranking.personalization(rec) FROM (VALUES ([1, 2]), ([2, 3]), ([4, 5])) AS t(rec);  -- 0.8333333333333334
--
-- As for gini_coverage, rec_list must name a column, and may not stand beside count(*) in a correlated subquery.
{# The weights are 1 / sqrt(length) times the square root of the longest length: whole numbers where the lists are of
   one length. (The argument stands among the subquery's own names, so these are names that no column of a user has.
   count_if in place of count makes DuckDB 2.0.0 take the macro in a correlated subquery.) #}
{% from "lists/internal/items.jinja" import difference %}
{% from "tables/internal/means.jinja" import exact_sum %}
{% macro total() %}
(
        SELECT {{ exact_sum("weight * weight", 53) }}
        FROM (
            SELECT {{ exact_sum("_ranking_weight", 53) }} AS weight
            FROM (
                SELECT
                    unnest(_ranking_list) AS _ranking_item,
                    sqrt(max(len(list_distinct(rec_list))) / len(_ranking_list)) AS _ranking_weight
                FROM unnest(list(list_distinct(rec_list))) AS _ranking_lists(_ranking_list))
            GROUP BY _ranking_item)
    ) / max(len(list_distinct(rec_list)))
{%- endmacro %}
CREATE OR REPLACE MACRO ranking.personalization(rec_list) AS
    {{ difference("count_if(len(list_distinct(rec_list)) > 0)", total()) }};
