-- Internal: the different items of a list, without NULL. DuckDB's list_distinct takes longer, and 1.5 keeps NaNs apart.
--
-- ordered: LIST in ascending order, NULL first; a column, or the parameter of a lambda
-- Returns: LIST
-- Example: SELECT _ranking_distinct_items(ordered) FROM (SELECT [NULL, 1, 1, 2] AS ordered);  -- [1, 2]
CREATE OR REPLACE TEMP MACRO _ranking_distinct_items(ordered) AS
list_filter(ordered, lambda item, place: item IS DISTINCT FROM ordered[place - 1]);
