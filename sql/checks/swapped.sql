-- are users and items swapped?
-- More ids match if users and items of one table trade places.
-- Place: 70; Severity: error; Of: ids that match
-- Write: swap the columns of users and items, as arguments or in one table
SELECT sum(n * is_crossed::BIGINT)::BIGINT AS count, sum(n)::BIGINT AS of
FROM (
    SELECT listed.is_user <> known.is_user AS is_crossed, count(DISTINCT id) AS n
    FROM (
        SELECT true AS is_user, id::VARCHAR AS id FROM listed_users
        UNION ALL SELECT false, id::VARCHAR FROM listed_items) AS listed
    JOIN (
        SELECT true AS is_user, id::VARCHAR AS id FROM known_users
        UNION ALL SELECT false, id::VARCHAR FROM known_items) AS known USING (id)
    GROUP BY listed.is_user, known.is_user)
HAVING 2 * sum(n * is_crossed::BIGINT) > sum(n)
