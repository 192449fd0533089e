-- ranking_dcg / ranking_ideal_dcg; 0 where that is 0.
--
-- gain, discount, base, half_life: as for ranking_dcg
-- ideal:     'cut': the best list of min(k, |truth|) items; 'truth': of |truth|, whatever k is; 'k': k items of grade 1,
--            for k to 10000 and grades of 0 and 1
-- Example:   SELECT ranking_ndcg(ranking_judge([1, 3, 2, 6], [1, 2, 4]), 2);  -- 0.6131471927654585
CREATE OR REPLACE TEMP MACRO _ranking_ndcg
    (ranking, gain := 'exp', discount := 'log2', base := NULL, half_life := NULL, ideal := 'cut') AS
least(
    _ranking_discounted_gain(
        ranking, ranking.grades,
        _ranking_weights(ranking, lambda _ranking_rank: _ranking_discount(_ranking_rank, discount, base, half_life)),
        gain)
    / greatest(_ranking_ideal(ranking, ranking.ideal, gain, discount, base, half_life, ideal), 2 ** -1074),
    _ranking_gain_fits('ranking_ndcg', gain, CASE WHEN ranking.k > 0 THEN ranking.ideal[1] END))::DOUBLE;

-- The error text where ideal=k cannot be computed: of grades other than 0 and 1, or a long list; NULL for none.
CREATE OR REPLACE TEMP MACRO _ranking_ndcg_problem(ranking, gain, discount, base, half_life, ideal) AS
CASE
    WHEN ideal::VARCHAR <> 'k' THEN NULL
    WHEN len(list_filter(ranking.ideal, lambda grade: grade > 0 AND grade <> 1)) > 0
        THEN format(
            'a grade above 0 must be 1 with ideal=k, got {:g}',
            list_filter(ranking.ideal, lambda grade: grade > 0 AND grade <> 1)[1])
    WHEN ranking.k > 10000 THEN concat('k must be 10000 or less with ideal=k, got ', ranking.k)
END;
