-- Internal: a MAP of the pairs, in the order of their ranks; of pairs with one key the first stays.
--
-- pairs    LIST of STRUCT(rank, key, value)
--
-- Example:
--   SELECT _ranking_ordered_map(list({'rank': rank, 'key': key, 'value': value}))
--   FROM (VALUES (2, 1, 'a'), (1, 3, 'b'), (3, 3, 'c')) AS t(rank, key, value);
--   {3=b, 1=a}

-- list_transform over a list of one element gives that element a name.
CREATE OR REPLACE TEMP MACRO _ranking_ordered_map(pairs) AS
    list_transform(
        [list_sort(list_transform(
            pairs, lambda pair: {'key': pair.key, 'rank': pair.rank, 'value': pair.value}), 'ASC')],
        lambda by_key: map_from_entries(list_transform(
            list_sort(list_transform(
                _ranking_first_of_key(by_key),
                lambda pair: {'rank': pair.rank, 'key': pair.key, 'value': pair.value}), 'ASC'),
            lambda pair: {'key': pair.key, 'value': pair.value})))[1];
