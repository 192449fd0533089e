-- truth: {grade} is not an integer; NDCG gains 2^{grade} - 1
-- The default gain of NDCG is exponential and made for integer grades.
-- Place: 300; Severity: warning; Of: rows of truth
-- Write: write {measures=ndcg(gain=linear)}
SELECT n_fractional AS count, fraction AS value FROM pairs
