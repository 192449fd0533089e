-- The inequality of recommendations over items: the Gini index of the number of lists that each item appears in.
--
-- With the numbers of lists c_1 <= ... <= c_n: G = sum((2 * i - n - 1) * c_i) / ((n - 1) * sum(c_i)).
-- Evidently, Elliot and RankSys divide so as well; LensKit and RecBole divide by n in place of n - 1.
--
-- rec_list: LIST of item ids, one list per row (cut it to the wanted length first: rec[:10])
-- n_items:  the number of items of the catalog, so that items nobody is recommended count, with zero lists; without it
--           only the items that appear in a list count
-- Returns:  DOUBLE in [0, 1]: 0 if every item appears in as many lists, 1 if one item takes all. An item that
--           occurs several times in one list counts once there; NULL in a list does not count; a list that is NULL is an
--           empty list. A group in which no list has an item gives NULL, and so does n_items NULL.
-- Errors:   n_items smaller than the number of different items in the lists
-- Source:   Fleder and Hosanagar (2009); Shani and Gunawardana (2011), Gini index of item exposure
-- Example:  SELECT [ranking.gini_coverage(rec), ranking.gini_coverage(rec, 4)] FROM (VALUES ([1, 2]), ([1]), ([1])) AS t(rec);
--           -- [0.5, 0.8333333333333334]
--
-- rec_list must name a column. DuckDB 2.0.0 fails with an INTERNAL error where this stands beside count(*) in a
-- correlated subquery without GROUP BY: give each a subquery of its own.

{% from "lists/internal/items.jinja" import gini %}
{# The number of lists of the group that each item is in, ascending, as a LIST; NULL if there is no item. #}
{% macro exposure() %}
(
    SELECT list(lists ORDER BY lists ASC NULLS LAST)
    FROM (
        SELECT count(*) AS lists
        FROM (SELECT unnest(list_distinct(items)) AS item FROM unnest(list(rec_list)) AS lists(items))
        GROUP BY item))
{%- endmacro %}
CREATE OR REPLACE MACRO ranking.gini_coverage
    (rec_list) AS
        list_transform([{{ exposure() | indent(8) }}], lambda counts: {{ gini("counts", "len(counts)") | indent(8) }})[1],

    (rec_list, n_items) AS
        list_transform([{'counts': {{ exposure() | indent(8) }}, 'n_items': n_items}], lambda items: CASE
            WHEN items.n_items < len(items.counts)
            THEN error('ranking.gini_coverage: n_items must be at least the number of different items in the lists ('
                || len(items.counts) || '), got ' || items.n_items)
            ELSE {{ gini("items.counts", "items.n_items") | indent(12) }}
        END)[1];
