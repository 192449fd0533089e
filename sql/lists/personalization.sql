-- Computes the dissimilarity of users' recommendations: 1 minus the mean similarity of two users' lists.
--
-- The similarity of two lists is the cosine of their binary item vectors, |a and b| / sqrt(|a| * |b|). The cost is
-- proportional to the number of recommended items, not of pairs of users.
--
-- rec_list: LIST of item ids, one list per row, cut as in rec[:10]. It must be a column.
-- Returns:    DOUBLE in [0, 1]: 0 if all users have the same items, 1 if no two users share an item. A repeated item
--             counts once, and NULLs are ignored. Lists that are NULL or empty do not count. Fewer than two lists give
--             NULL.
-- Source:     recmetrics (C. Longo), personalization
-- Example:  SELECT ranking.personalization(rec) FROM (VALUES ([1, 2]), ([2, 3]), ([4, 5])) AS t(rec);  -- 0.8333333333333334
--
-- In a correlated subquery, do not combine it with count(*): see ranking.gini_coverage.
{# Let v_1, ..., v_N be unit vectors. The cosines of all ordered pairs of different users sum to |v_1 + ... + v_N|^2 - N, and
   component i of that sum is the sum of 1 / sqrt(length) over the lists with item i. The weights here are larger by the square
   root of the longest length, so that they are integers if all lists have the same length. (The argument is resolved among the
   names of the subquery, so these must differ from all columns of users. With count_if instead of count, DuckDB 2.0.0 accepts
   the macro in a correlated subquery.) #}
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
                    sqrt(max(len(list_distinct(rec_list)))::DOUBLE / len(_ranking_list)) AS _ranking_weight
                FROM unnest(list(list_distinct(rec_list))) AS _ranking_lists(_ranking_list))
            GROUP BY _ranking_item)
    ) / max(len(list_distinct(rec_list)))
{%- endmacro %}
CREATE OR REPLACE MACRO ranking.personalization(rec_list) AS
    {{ difference("count_if(len(list_distinct(rec_list)) > 0)", total()) }};
