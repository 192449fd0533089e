-- Internal: the number of lists of the group that each item is in, ascending.
--
-- Returns LIST of BIGINT, one number per item that is in a list at all; NULL if there is none.
--
-- Example:
--   SELECT _ranking_exposure(rec) FROM (VALUES ([1, 2]), ([1, 1]), ([3, 1])) AS t(rec);
--   [1, 1, 3]

CREATE OR REPLACE TEMP MACRO _ranking_exposure(rec_list) AS (
    SELECT list(lists ORDER BY lists ASC NULLS LAST)
    FROM (
        SELECT count(*) AS lists
        FROM (SELECT unnest(list_distinct(items)) AS item FROM unnest(list(rec_list)) AS lists(items))
        GROUP BY item)
);
