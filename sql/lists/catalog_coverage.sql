-- Computes the share of a catalog that appears in the recommendations of at least one user.
--
-- rec_list: LIST of item ids, one list per row. Cut it to the wanted length first, as in rec[:10].
-- n_items: number of items in the catalog
-- Returns:    DOUBLE in [0, 1]: the number of different items in all lists, divided by n_items. NULLs are ignored. NULL
--             without rows, or if n_items is NULL.
-- Errors:     An n_items below 1, or below the number of different items in the lists.
-- Source:     Herlocker et al. (2004). Ge et al. (2010), catalog coverage.
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
