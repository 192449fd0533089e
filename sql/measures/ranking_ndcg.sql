CREATE OR REPLACE TEMP MACRO ranking_ndcg
    (judged, k := NULL, gain := 'exp', discount := 'log2', base := NULL, half_life := NULL) AS
_ranking_checked(
    'ranking_ndcg',
    judged,
    k,
    _ranking_gain_problem(
        gain, discount, base, half_life, CASE WHEN _ranking_cut_off(k, judged.size) > 0 THEN judged.ideal[1] END),
    least(
        _ranking_discounted(
        judged,
        list_filter(judged.grades, lambda grade: grade > 0),
        _ranking_discounts(_ranking_hits(judged, k), discount, base, half_life),
        gain)
        / greatest(
            _ranking_ideal(judged, k, judged.ideal, gain, discount, base, half_life), 2::DOUBLE ** -1074),
        1));
