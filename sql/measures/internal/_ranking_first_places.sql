-- Internal: the places of a list at which an item stands for the first time; NULL is none.
--
-- items:   LIST
-- Returns: INTEGER[], ascending
-- Example: SELECT _ranking_first_places(['b', NULL, 'b', 'a']);  -- [1, 4]
CREATE OR REPLACE TEMP MACRO _ranking_first_places(items) AS
list_transform(
    [list_sort(list_transform(items, lambda item, place: (item, place::INTEGER)), 'ASC')],
    lambda ordered: list_sort(
        list_transform(
            list_filter(ordered, lambda one, i: one[1] IS NOT NULL AND one[1] IS DISTINCT FROM ordered[i - 1][1]),
            lambda one: one[2]
        ),
        'ASC'
    )
)[1];
