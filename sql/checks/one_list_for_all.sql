-- rec: {units} with the same list
-- The model is not personalized: all lists have the same items. Needs at least 30 users.
-- Place: 240; Severity: info; Of: users of truth
SELECT judged * (judged >= 30 AND least = most)::BIGINT AS total, judged AS of, n_relevant IS NOT NULL AS row
FROM evidence
