-- Internal: the expected sum of the precisions at the relevant items of a tie, those in the top k alone.
--
-- At each rank there is a relevant item as often as at the others, and then each of the ranks above in the tie has one of
-- the hits - 1 others as often.
--
-- tie:     one of the ties that _ranking_tied_at gives
-- hits:    how many relevant items there are
-- size:    among how many ranks, from the first of the tie
-- Returns: DOUBLE
-- Example: SELECT _ranking_tied_precisions({'above': 0, 'taken': 1, 'before': 0}, 2, 4);  -- 0.5
CREATE OR REPLACE TEMP MACRO _ranking_tied_precisions(tie, hits, size) AS
hits / greatest(size, 1) * coalesce(
    list_sum(list_transform(
        range(tie.taken),
        lambda higher: (tie.before + 1 + higher * (hits - 1) / greatest(size - 1, 1)) / (tie.above + higher + 1))),
    0);
