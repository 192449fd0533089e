-- The distinct values of a group, as Hive's aggregate of that name.
--
-- value:   the column or expression to collect, of any type
-- Returns: LIST of the values that are not NULL, each once, in ascending order, so that the result never depends on
--          threads or on the order of the rows. A group without such a value gives [].
-- Source:  Hive, collect_set; https://cwiki.apache.org/confluence/display/Hive/LanguageManual+UDF
-- Example: SELECT collect_set(itemid) FROM (VALUES (4), (1), (NULL), (2), (1)) AS t(itemid);  -- [1, 2, 4]
CREATE OR REPLACE TEMP MACRO collect_set(value) AS
    coalesce(list_sort(list(DISTINCT value) FILTER (WHERE value IS NOT NULL), 'ASC', 'NULLS LAST'), []);
