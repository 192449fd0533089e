-- are users and items swapped?
-- More ids match if users and items of one table trade places.
-- Place: 70; Severity: error; Of: ids that match
-- Write: swap the columns of users and items, as arguments or in one table
SELECT sum(n * is_crossed::BIGINT)::BIGINT AS count, sum(n)::BIGINT AS of
FROM (
    SELECT listed.name <> known.name AS is_crossed, count(DISTINCT text) AS n
    FROM (FROM ids WHERE is_rec) AS listed
    JOIN (FROM ids WHERE NOT is_rec) AS known USING (text)
    GROUP BY listed.name, known.name)
HAVING 2 * sum(n * is_crossed::BIGINT) > sum(n)
