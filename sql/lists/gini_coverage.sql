-- Computes the Gini index of item exposure: how unequally items are spread over the lists.
--
-- Let c_1 <= ... <= c_n be the numbers of lists with each item. Then G = sum((2 * i - n - 1) * c_i) / ((n - 1) *
-- sum(c_i)).
--
-- rec_list: LIST of item ids, one list per row, cut as in rec[:10]. It must be a column.
-- n_items: number of items in the catalog. Without it, only items in a list count.
-- Returns:    DOUBLE in [0, 1]: 0 if every item is in the same number of lists, 1 if all lists have the same single item.
--             A repeated item in a list counts once, and NULLs are ignored. NULL without an item, or if n_items is NULL.
-- Errors:   An n_items below the number of different items in the lists.
-- Source:   Fleder and Hosanagar (2009). Shani and Gunawardana (2011), Gini index of item exposure.
-- Example:  SELECT [ranking.gini_coverage(rec), ranking.gini_coverage(rec, 4)] FROM (VALUES ([1, 2]), ([1]), ([1])) AS t(rec);
--           -- [0.5, 0.8333333333333334]
--
-- In a correlated subquery without GROUP BY, DuckDB 2.0.0 fails if count(*) is in the same subquery: use two subqueries.

{% from "lists/internal/items.jinja" import gini %}
{# The number of lists with each item, ascending, as a LIST; NULL if there is no item. #}
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
