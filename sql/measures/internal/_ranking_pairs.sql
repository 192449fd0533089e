-- Internal: the pairs of judged items in the top k with different grades, counted. Each grade looks through the list
-- once: an item with that grade has the higher grades above it in the right order.
--
-- ranking: what _ranking_at gives
-- Returns: a LIST of one STRUCT: items, grades (how many are different), pairs, and how many of them are in the right
--          order; NULL where all grades of truth are equal
-- Example: SELECT _ranking_pairs(ranking) FROM (SELECT _ranking_at(judged, NULL) AS ranking FROM (SELECT ranking_judge(['a', 'b'], ['a', 'b'], [2, 1]) AS judged));
CREATE OR REPLACE TEMP MACRO _ranking_pairs(ranking) AS
list_transform(
    list_transform(
        CASE WHEN ranking.ideal[1] > ranking.ideal[-1] THEN [ranking.seen] END,
        lambda seen: list_transform(
            list_distinct(seen),
            lambda grade: {
                'items': len(list_filter(seen, lambda other: other = grade)),
                'places': list_sum(list_transform(
                    list_filter(seen, lambda other: other >= grade),
                    lambda other, place: CASE WHEN other = grade THEN place END))})),
    lambda groups: {
        'items': list_sum(list_transform(groups, lambda one: one.items)),
        'grades': len(groups),
        'pairs': list_sum(list_transform(groups, lambda one: one.items))
            * (list_sum(list_transform(groups, lambda one: one.items)) - 1) / 2
            - list_sum(list_transform(groups, lambda one: one.items * (one.items - 1) / 2)),
        'right': list_sum(list_transform(groups, lambda one: one.places - one.items * (one.items + 1) / 2))});
