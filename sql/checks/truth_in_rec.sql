-- rec: {units} whose relevant items are all at the top
-- Target leakage: at least 95% of the lists begin with all relevant items of their user, in the order of the grades. Only users
-- with two or more relevant items count, and there must be 20. Error: the non-relevant items of at least 20 users are in the
-- order of their grades too. Otherwise warning.
-- Place: 110; Severity: tested; Of: users with 2 relevant items
-- Write: check the query that builds rec: truth may have been joined into it
SELECT
    first * is_truth::BIGINT AS total,
    several AS of,
    CASE WHEN mixed >= 20 AND ordered >= 0.95 * mixed THEN 'error' ELSE 'warning' END AS severity,
    is_first AS row
FROM evidence
