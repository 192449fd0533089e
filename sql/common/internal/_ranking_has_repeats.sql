-- Internal: true for a list that has an item twice; NULLs do not count. In a short list each item is looked for, which of
-- 100 items takes a third of the time of sorting them, or of list_unique; of 1,000 it takes more.
--
-- items:   LIST; a column, since a lambda looks at it for every item
-- Example: SELECT _ranking_has_repeats(items) FROM (SELECT ['b', NULL, 'b', NULL] AS items);  -- true
CREATE OR REPLACE TEMP MACRO _ranking_has_repeats(items) AS
CASE
    WHEN len(items) <= 128
        THEN len(list_filter(items, lambda item, place: item IS NOT NULL AND list_position(items, item) < place)) > 0
    ELSE len(list_transform(
        [list_sort(items, 'ASC', 'NULLS LAST')],
        lambda ordered: list_filter(ordered, lambda item, place: item = ordered[place - 1])
    )[1]) > 0
END;
