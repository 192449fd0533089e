-- personalization(rec_list): how different the recommendations of different users are: 1 minus the mean similarity
-- of two users' lists.
--
-- rec_list  LIST of item ids, one list per user (cut it to the wanted length first: rec[:10])
--
-- Returns DOUBLE in [0, 1]: 0 if all users get the same items, 1 if no two users share one. The similarity of two
-- lists is the cosine of their binary item vectors, |a and b| / sqrt(|a| * |b|), which is |a and b| / n for lists
-- of n items. The order of a list does not matter; an item that occurs several times in a list counts once, NULL
-- not at all. Lists that are NULL or have no item are left out, since they have no direction. Fewer than two lists
-- give NULL.
--
-- No two users are compared: with unit vectors v_1, ..., v_N, the cosines of all ordered pairs of different users
-- add up to |v_1 + ... + v_N|^2 - N, and component i of that sum is the sum of 1 / sqrt(length) over the lists
-- with item i. The work is proportional to the number of recommended items.
--
-- Example:
--   SELECT personalization(rec) FROM (VALUES ([1, 2]), ([2, 3]), ([4, 5])) AS t(rec);
--   0.8333333333333334
--
-- Reference: recmetrics (C. Longo), personalization, which builds the matrix of all pairs.

-- Each list_transform over a list of one element gives that element a name. The items of all lists, each with the
-- length of its list, are sorted and cut where one of the two changes: the differences of those positions count
-- the lists of each item and length. list_reduce then adds up the weights of an item, whose entries are
-- neighbours, over distances of 1, 2, 4, ... entries: the last entry of an item ends up with the sum of all.
CREATE OR REPLACE TEMP MACRO personalization(rec_list) AS
    list_transform(list_transform(list_transform(list_transform([{
            'items': list_sort(flatten(coalesce(
                list(list_zip(list_distinct(rec_list), list_resize(
                        []::BIGINT[], len(list_distinct(rec_list)), len(list_distinct(rec_list)))))
                    FILTER (WHERE len(list_distinct(rec_list)) > 0), [])), 'ASC'),
            'lists': count(*) FILTER (WHERE len(list_distinct(rec_list)) > 0),
            'lengths': coalesce(list_unique(list(len(list_distinct(rec_list)))), 0)}],
        lambda grp: {
            'entries': list_zip(grp.items, range(1, len(grp.items) + 1)),
            'lists': grp.lists,
            'lengths': grp.lengths}),
        lambda grp: {
            'entries': list_concat(
                list_transform(list_filter(list_zip(grp.entries[:-2], grp.entries[2:]),
                    lambda pair: pair[1][1] IS DISTINCT FROM pair[2][1]), lambda pair: pair[1]),
                grp.entries[-1:]),
            'lists': grp.lists,
            'lengths': grp.lengths}),
        lambda grp: {
            'weights': list_reduce(
                list_transform(range(0, ceil(log2(greatest(1, grp.lengths)))::BIGINT), lambda power: {
                    'step': (2 ** power)::BIGINT,
                    'entries': []::STRUCT(item VARCHAR, weight DOUBLE)[]}),
                lambda so_far, next_step: {
                    'step': next_step.step,
                    'entries': list_concat(so_far.entries[:next_step.step], list_transform(
                        list_zip(so_far.entries[next_step.step + 1:], so_far.entries[:-(next_step.step + 1)]),
                        lambda pair: {
                            'item': pair[1].item,
                            'weight': pair[1].weight + if(pair[1].item = pair[2].item, pair[2].weight, 0)}))},
                {
                    'step': 0::BIGINT,
                    'entries': list_concat(
                        list_transform(grp.entries[:1], lambda entry: {
                            'item': create_sort_key(entry[1][1], 'ASC NULLS LAST')::VARCHAR,
                            'weight': entry[2] / sqrt(entry[1][2])}),
                        list_transform(list_zip(grp.entries[2:], grp.entries[:-2]), lambda pair: {
                            'item': create_sort_key(pair[1][1][1], 'ASC NULLS LAST')::VARCHAR,
                            'weight': (pair[1][2] - pair[2][2]) / sqrt(pair[1][1][2])}))
                }).entries,
            'lists': grp.lists}),
        lambda grp: CASE WHEN grp.lists > 1 THEN
            least(1, greatest(0, 1 - (list_sum(list_transform(
                    list_concat(
                        list_transform(list_filter(list_zip(grp.weights[:-2], grp.weights[2:]),
                            lambda pair: pair[1].item <> pair[2].item), lambda pair: pair[1].weight),
                        list_transform(grp.weights[-1:], lambda entry: entry.weight)),
                    lambda weight: weight * weight)) - grp.lists) / (grp.lists * (grp.lists - 1))))
        END)[1];
