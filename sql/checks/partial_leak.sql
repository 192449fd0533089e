-- rec: {units} with all relevant items at the top, as in a leak
-- Target leakage for some users: at least 16 users, 10% of those with two relevant items, have all of them at the top. (a) Their
-- share must exceed that of each other system by 0.1 and by 4 standard errors. (b) Near misses must be few: of users with three
-- or more relevant items (R), at most 0.7 times as many have all of them in the first 3R or lack one in the first R. Of lists
-- with all of them further down, at most 0.1 have them in one block, as if the chunks of a page were found together. (c) The
-- users must not be easier: the mean recall of the other systems over them is at most 0.4 standard deviations above that over
-- the other users. Warning: other systems have lists for the same users, and their recall varies. Otherwise info, since easy
-- queries look the same. In simulations of 300 users, 30% of them affected, and two systems, the test finds more than 95% of
-- leaks into a model with NDCG 0.4, and 24% to 74% at 0.7. It misses leaks into models that find pages as wholes. It can be false
-- if one system alone answers one kind of query, if the others are random next to a model with NDCG above 0.9, or if a strong
-- model finds the chunks of a page almost together.
-- Place: 120; Severity: tested; Of: users with 2 relevant items
-- Write: check the query that builds rec: truth may have been joined into some lists
SELECT
    top * coalesce(
        NOT is_truth AND unknown > 0 AND top >= greatest(16, 0.1 * several)
            AND near <= 0.7 * long_top AND blocks <= 0.1 * complete
            AND (compared = 0 OR top_share - other_share >= greatest(0.1, 4 * sqrt(
                    (top_share * (1 - top_share) + other_share * (1 - other_share)) / nullif(compared, 0)))
                AND other_recall_top::DOUBLE / nullif(compared_top, 0)
                    - (other_recall - other_recall_top)::DOUBLE / nullif(compared - compared_top, 0)
                    <= 0.4 * sqrt(greatest(
                        other_recall_squares::DOUBLE / nullif(compared, 0)
                        - (other_recall::DOUBLE / nullif(compared, 0)) ** 2, 0))),
        false)::BIGINT AS total,
    several AS of,
    CASE WHEN compared * other_recall_squares::DOUBLE > other_recall::DOUBLE ** 2 THEN 'warning' ELSE 'info' END AS severity,
    top_user AS user,
    is_top AS row
FROM evidence
