-- Internal: the lowest of the items that a list holds more than once.
--
-- items:   LIST without NULL
-- Returns: an item
-- Example: SELECT _ranking_repeated_item([3, 2, 1, 3, 2]);  -- 2
CREATE OR REPLACE TEMP MACRO _ranking_repeated_item(items) AS
list_transform(
    [list_sort(items, 'ASC')],
    lambda ordered: list_filter(ordered, lambda item, i: item = ordered[i - 1])[1]
)[1];
