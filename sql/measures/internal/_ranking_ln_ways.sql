-- Internal: the logarithm of C(hits, n) C(size - hits, taken - n), but for what does not depend on n.
--
-- tie:     one of the ties that _ranking_tied_at gives
-- n:       how many of its relevant items are in the top k
-- Returns: DOUBLE
-- Example: SELECT _ranking_ln_ways({'size': 4, 'taken': 1, 'hits': 2}, 1);
CREATE OR REPLACE TEMP MACRO _ranking_ln_ways(tie, n) AS
-(lgamma(n + 1) + lgamma(tie.hits - n + 1) + lgamma(tie.taken - n + 1) + lgamma(tie.size - tie.hits - tie.taken + n + 1));
