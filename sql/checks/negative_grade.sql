-- truth: {grade} is negative
-- Negative grades count as non-relevant.
-- Place: 290; Severity: info; Of: rows of truth
SELECT n_negative AS count, lowest AS value FROM pairs
