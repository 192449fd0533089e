-- rec: {units} with fewer than k = {k} items
-- Precision still divides by k, so these users cannot reach 1. If no list reaches k, the check counts the lists that are shorter
-- than the longest.
-- Place: 210; Severity: warning from 0.05; Of: users of truth
SELECT
    is_judged AND n < k AND n < longest AS count,
    CASE WHEN any_value(longest) < any_value(k) THEN 'rec: {units} with fewer items than the longest list' END AS problem
FROM cuts
