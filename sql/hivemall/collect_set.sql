-- Collects the distinct values of a group, like the aggregate of Hive.
--
-- value:    column or expression to collect, of any type
-- Returns:  LIST of the distinct values, without NULL, in ascending order; [] without values.
-- Source:     Hive, collect_set
-- Example:  SELECT collect_set(itemid) FROM (VALUES (4), (1), (NULL), (2), (1)) AS t(itemid);  -- [1, 2, 4]
CREATE OR REPLACE TEMP MACRO collect_set(value) AS
    coalesce(list_sort(list(DISTINCT value) FILTER (WHERE value IS NOT NULL), 'ASC', 'NULLS LAST'), []);
