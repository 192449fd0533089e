-- Normalised discounted cumulative gain: DCG over that of the best possible list.
--
-- ranking_dcg / ranking_ideal_dcg; 0 where that is 0.
--
-- judged:    a judged ranking, from ranking_judge or ranking_judged
-- k:         how far to look, an integer of any type; NULL for the whole list
-- gain:      'exp' for 2^grade - 1 (grades to 1000), 'linear' for the grade itself
-- discount:  'log2' divides by log2(r + 1); 'original' by max(1, log_base(r)); 'half_life' multiplies by 2^(-(r - 1)
--            / (half_life - 1))
-- base:      a number > 1, with discount=original alone; NULL for 2
-- half_life: a number > 1, with discount=half_life alone; NULL for 5
-- ideal:     'cut': the best list of min(k, |truth|) items; 'truth': of |truth|, whatever k is; 'k': k items of grade 1,
--            for k to 10000 and grades of 0 and 1
-- Returns:   DOUBLE from 0 to 1; 0 where truth is empty; NULL for NULL
-- Source:    Jarvelin and Kekalainen (2002); Burges et al. (2005)
-- Example:   SELECT ranking_ndcg(ranking_judge([1, 3, 2, 6], [1, 2, 4]), 2);  -- 0.6131471927654585
CREATE OR REPLACE TEMP MACRO ranking_ndcg(judged, k := NULL, gain := 'exp', discount := 'log2', base := NULL, half_life := NULL, ideal := 'cut') AS
CASE
    -- Options are checked outside of the lambda, where DuckDB checks constants once, when it plans.
    WHEN coalesce(
        _ranking_gain_problem(gain, discount, base, half_life),
        _ranking_option('ideal', ideal, 'cut|truth|k', ideal::VARCHAR IN ('cut', 'truth', 'k'))) IS NULL
        THEN list_transform(
            _ranking_views(judged, k),
            lambda _ranking_view: _ranking_checked_value(
                'ranking_ndcg',
                _ranking_view,
                _ranking_ideal_problem(_ranking_view.ranking, ideal),
                _ranking_ndcg(_ranking_view.ranking, gain, discount, base, half_life, ideal)))[1]
    ELSE error('ranking_ndcg: ' || coalesce(
        _ranking_gain_problem(gain, discount, base, half_life),
        _ranking_option('ideal', ideal, 'cut|truth|k', false)))::DOUBLE
END;

CREATE OR REPLACE TEMP MACRO _ranking_ndcg
    (ranking, gain := 'exp', discount := 'log2', base := NULL, half_life := NULL, ideal := 'cut') AS
(
    least(
        _ranking_discounted_gain(
            ranking, ranking.grades, _ranking_discounts(ranking.hits, discount, base, half_life), gain)
        / greatest(_ranking_ideal(ranking, ranking.ideal, gain, discount, base, half_life, ideal), 2 ** -1074),
        _ranking_gain_fits('ranking_ndcg', gain, CASE WHEN ranking.k > 0 THEN ranking.ideal[1] END))
)::DOUBLE;

CREATE OR REPLACE TEMP MACRO _ranking_expected_ndcg
    (tied, gain := 'exp', discount := 'log2', base := NULL, half_life := NULL, ideal := 'cut') AS
(
    coalesce(error('ranking_ndcg: ' || _ranking_ideal_problem(tied, ideal))::INTEGER, 1)
    * least(
        _ranking_discounted_gain(tied, tied.grades, _ranking_tied_discounts(tied, discount, base, half_life), gain)
        / greatest(_ranking_ideal(tied, tied.ideal, gain, discount, base, half_life, ideal), 2 ** -1074),
        _ranking_gain_fits('ranking_ndcg', gain, CASE WHEN tied.k > 0 THEN tied.ideal[1] END))
)::DOUBLE;
