-- gini_coverage(rec_list [, n_items]): how unequally recommendations are spread over items, as the Gini index of the
-- number of lists that each item appears in.
--
-- rec_list  LIST of item ids, one list per row (cut it to the wanted length first: rec[:10])
-- n_items   the number of items of the catalogue, so that items nobody is recommended count, with zero lists;
--           without it only the items that appear in a list count
--
-- Returns DOUBLE in [0, 1): 0 if every item appears in as many lists, near 1 if a few items take all. With the
-- numbers of lists c_1 <= ... <= c_n: G = 2 * sum(i * c_i) / (n * sum(c_i)) - (n + 1) / n. An item that occurs
-- several times in one list counts once there; NULL in a list does not count; a list that is NULL is an empty
-- list. A group in which no list has an item gives NULL, and so does n_items NULL.
--
-- Errors: n_items smaller than the number of different items in the lists.
--
-- Example:
--   SELECT gini_coverage(rec), gini_coverage(rec, 4) FROM (VALUES ([1, 2]), ([1]), ([1])) AS t(rec);
--   0.25    0.625
--
-- Reference: Fleder and Hosanagar, 2009; Shani and Gunawardana, 2011 (Gini index of item exposure).

-- The sorted items of all lists are cut where the item changes; the differences of those positions are the numbers of
-- lists c_i. Each list_transform over a list of one element gives its element a name.
CREATE OR REPLACE TEMP MACRO gini_coverage
    (rec_list) AS
        list_transform([list_transform(list_transform(list_transform([
                coalesce(list_sort(flatten(list(list_distinct(rec_list))), 'ASC'), [])],
            lambda items: list_concat(list_transform(list_filter(
                list_zip(items[:-2], items[2:], range(1, len(items))),
                lambda pair: pair[1] IS DISTINCT FROM pair[2]), lambda pair: pair[3]), [len(items)])),
            lambda ends: list_sort(list_concat(ends[:1], list_transform(
                list_zip(ends[2:], ends[:-2]), lambda pair: pair[1] - pair[2])), 'ASC')),
            lambda counts: {
                'items': len(counts),
                'lists': list_sum(counts),
                'ranked': list_sum(list_transform(counts, lambda lists, rank: lists * rank))})[1]],
            lambda seen: (2 * seen.ranked - (seen.items + 1) * seen.lists) / nullif(seen.items * seen.lists, 0))[1],

    (rec_list, n_items) AS
        list_transform([{
            'seen': list_transform(list_transform(list_transform([
                coalesce(list_sort(flatten(list(list_distinct(rec_list))), 'ASC'), [])],
            lambda items: list_concat(list_transform(list_filter(
                list_zip(items[:-2], items[2:], range(1, len(items))),
                lambda pair: pair[1] IS DISTINCT FROM pair[2]), lambda pair: pair[3]), [len(items)])),
            lambda ends: list_sort(list_concat(ends[:1], list_transform(
                list_zip(ends[2:], ends[:-2]), lambda pair: pair[1] - pair[2])), 'ASC')),
            lambda counts: {
                'items': len(counts),
                'lists': list_sum(counts),
                'ranked': list_sum(list_transform(counts, lambda lists, rank: lists * rank))})[1],
            'n_items': n_items}],
            lambda all_items: CASE
                WHEN all_items.n_items < all_items.seen.items AND all_items.seen.lists > 0
                THEN error('gini_coverage: n_items must be at least the number of different items in the lists ('
                    || all_items.seen.items || '), got ' || all_items.n_items)
                ELSE (2 * (all_items.seen.ranked + (all_items.n_items - all_items.seen.items) * all_items.seen.lists)
                        - (all_items.n_items + 1) * all_items.seen.lists)
                    / nullif(all_items.n_items * all_items.seen.lists, 0)
            END)[1];
