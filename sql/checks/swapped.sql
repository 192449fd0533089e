-- are {units} and items swapped?
-- More ids match if users and items of one table trade places.
-- Place: 70; Severity: error; Of: ids that match
-- Write: swap the columns of {units} and items, as arguments or in one table
SELECT sum(crossed)::BIGINT AS count, sum(crossed + straight)::BIGINT AS of
FROM (
    SELECT
        count_if(is_known AND systems IS NOT NULL) AS straight,
        count(*) FILTER (is_known) * count(systems) - straight AS crossed
    FROM distinct_ids
    GROUP BY text)
HAVING 2 * sum(crossed) > sum(crossed + straight)
