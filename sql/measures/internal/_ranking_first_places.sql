-- Internal: the places of a list at which an item stands for the first time; NULL is none. Of a long list the items are
-- sorted, since to look for each takes too long.
--
-- items:   LIST; a column, since a lambda looks at it for every item
-- Returns: INTEGER[], ascending
-- Example: SELECT _ranking_first_places(items) FROM (SELECT ['b', NULL, 'b', 'a'] AS items);  -- [1, 4]
CREATE OR REPLACE TEMP MACRO _ranking_first_places(items) AS
CASE
    -- As in _ranking_has_repeats.
    WHEN len(items) <= 128
        THEN list_filter(
            list_transform(items, lambda item, place: CASE WHEN list_position(items, item) = place THEN place::INTEGER END),
            lambda place: items[place] IS NOT NULL
        )
    ELSE list_transform(
        [list_sort(list_transform(items, lambda item, place: (item, place::INTEGER)), 'ASC')],
        lambda ordered: list_sort(
            list_transform(
                list_filter(
                    ordered, lambda one, i: one[1] IS NOT NULL AND one[1] IS DISTINCT FROM ordered[i - 1][1]
                ),
                lambda one: one[2]
            ),
            'ASC'
        )
    )[1]
END;
