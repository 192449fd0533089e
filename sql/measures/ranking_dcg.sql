CREATE OR REPLACE TEMP MACRO ranking_dcg
    (judged, k := NULL, gain := 'exp', discount := 'log2', base := NULL, half_life := NULL) AS
_ranking_checked(
    'ranking_dcg',
    judged,
    k,
    _ranking_gain_problem(
        gain,
        discount,
        base,
        half_life,
        CASE
            WHEN judged.ideal[1] > 1000
                THEN list_max(list_filter(judged.grades, lambda grade: grade > 0)[:len(_ranking_hits(judged, k))])
        END),
    _ranking_total('ranking_dcg', judged, gain, _ranking_discounted(
        judged,
        list_filter(judged.grades, lambda grade: grade > 0),
        _ranking_discounts(_ranking_hits(judged, k), discount, base, half_life),
        gain)));
