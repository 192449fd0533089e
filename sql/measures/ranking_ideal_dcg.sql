CREATE OR REPLACE TEMP MACRO ranking_ideal_dcg
    (judged, k := NULL, gain := 'exp', discount := 'log2', base := NULL, half_life := NULL) AS
_ranking_checked(
    'ranking_ideal_dcg',
    judged,
    k,
    _ranking_gain_problem(
        gain, discount, base, half_life, CASE WHEN _ranking_cut_off(k, judged.size) > 0 THEN judged.ideal[1] END),
    _ranking_total(
        'ranking_ideal_dcg',
        judged,
        gain,
        _ranking_ideal(judged, k, judged.ideal, gain, discount, base, half_life)));
