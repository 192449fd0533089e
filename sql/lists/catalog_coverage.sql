-- The share of a catalog that appears in anybody's recommendations.
--
-- rec_list: LIST of item ids, one list per row (cut it to the wanted length first: rec[:10])
-- n_items:  the number of items of the catalog: a constant, a subquery or an aggregate
-- Returns:  DOUBLE in [0, 1]: the number of distinct items in all lists of the group, divided by n_items. An item that
--           occurs several times counts once, NULL in a list not at all, and a list that is NULL is an empty list. A
--           group without rows, and n_items NULL, give NULL.
-- Errors:   n_items smaller than 1, or smaller than the number of distinct items in the lists
-- Source:   Herlocker, Konstan, Terveen and Riedl (2004); Ge, Delgado-Battenfeld and Jannach (2010), catalog coverage
-- Example:  SELECT ranking.catalog_coverage(rec, 6) FROM (VALUES ([1, 3]), ([1, 2])) AS t(rec);  -- 0.5
CREATE OR REPLACE MACRO ranking.catalog_coverage(rec_list, n_items) AS
    list_transform([{
            'seen': CASE WHEN count(*) > 0 THEN coalesce(list_unique(flatten(list(rec_list))), 0) END,
            'n_items': n_items}],
        lambda items: CASE
            WHEN items.n_items < 1 OR items.n_items < items.seen
            THEN error('ranking.catalog_coverage: n_items must be at least the number of different items in the lists ('
                || greatest(1, items.seen) || '), got ' || items.n_items)
            ELSE items.seen / items.n_items::DOUBLE
        END)[1];
