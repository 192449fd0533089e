-- Internal: the items of one list that are in another: the first occurrence of each, in the order of the list.
--
-- Few items are looked for in a long list, each item of a short list among few. Among more, what both hold is found by
-- hashing, and then looked for in the list; where that is much as well, both are sorted together, and an item that is
-- known follows itself.
--
-- listed, items: LISTs; `items` holds no item twice, and no NULL. A lambda here looks at them for every item: they have
--                to be columns, or the parameters of a lambda
-- Returns:       STRUCT(INTEGER, INTEGER)[]: the place in `listed` and that in `items`
-- Example:       SELECT _ranking_found_items(['a', 'c', 'b', 'a'], ['b', 'a']);  -- [(1, 2), (3, 1)]
CREATE OR REPLACE TEMP MACRO _ranking_found_items(listed, items) AS
CASE
    WHEN 5 * len(items) <= len(listed) AND len(items) <= 50 THEN list_sort(
        list_filter(
            list_transform(items, lambda item, place: (list_position(listed, item)::INTEGER, place::INTEGER)),
            lambda places: places[1] > 0
        ),
        'ASC'
    )
    WHEN len(listed) * len(items) <= 50 * (len(listed) + len(items)) THEN list_transform(
        list_filter(
            list_filter(
                list_transform(listed, lambda item, place: CASE WHEN list_contains(items, item) THEN place::INTEGER END),
                lambda place: place IS NOT NULL
            ),
            lambda place: list_position(listed, listed[place]) = place
        ),
        lambda place: (place, list_position(items, listed[place])::INTEGER)
    )
    ELSE list_transform([list_intersect(listed, items)], lambda common: CASE
        WHEN len(common) <= 3000 THEN _ranking_found_each(common, listed, items)
        ELSE list_transform(
            [list_sort(
                list_transform(listed, lambda item, place: (item, place::INTEGER, 0::INTEGER))
                || list_transform(items, lambda item, place: (item, 0::INTEGER, place::INTEGER)),
                'ASC'
            )],
            lambda merged: list_sort(
                list_filter(
                    list_transform(merged, lambda one, i: CASE
                        WHEN one[2] > 0 AND merged[i - 1][3] > 0 AND one[1] = merged[i - 1][1]
                            THEN (one[2], merged[i - 1][3])
                    END),
                    lambda one: one IS NOT NULL
                ),
                'ASC'
            )
        )[1]
    END)[1]
END;

-- The places of items that are in both.
CREATE OR REPLACE TEMP MACRO _ranking_found_each(common, listed, items) AS
list_sort(
    list_transform(common, lambda item: (list_position(listed, item)::INTEGER, list_position(items, item)::INTEGER)), 'ASC');
