-- truth: ({user}, {item}) repeated
-- A pair of user and item counts once.
-- Place: 310; Severity: info; Of: rows of truth
SELECT (n - 1) * (userid IS NOT NULL AND itemid IS NOT NULL)::BIGINT AS count FROM pairs
