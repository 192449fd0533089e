-- Internal: the possible numbers of relevant items of the last tie in the top k, and how often each comes about, the
-- hypergeometric distribution: C(hits, n) C(size - hits, taken - n), over that of the number next to the mean.
--
-- tie:     one of the ties that _ranking_tied_at gives
-- Returns: LIST of STRUCT: hits; weight, a DOUBLE, not above 1
-- Example: SELECT _ranking_tied_ways({'size': 4, 'taken': 1, 'hits': 2});
--          -- [{'hits': 0, 'weight': 1.0}, {'hits': 1, 'weight': 1.0}]
CREATE OR REPLACE TEMP MACRO _ranking_tied_ways(tie) AS
list_transform(
    range(greatest(tie.taken + tie.hits - tie.size, 0), least(tie.taken, tie.hits) + 1),
    lambda n: {
        'hits': n,
        'weight': exp(
            _ranking_ln_ways(tie, n)
            - _ranking_ln_ways(tie, floor((tie.hits + 1) * (tie.taken + 1) / (tie.size + 2))))});
