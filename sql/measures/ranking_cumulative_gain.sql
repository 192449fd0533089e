CREATE OR REPLACE TEMP MACRO ranking_cumulative_gain(judged, k := NULL, gain := 'linear') AS
_ranking_checked(
    'ranking_cumulative_gain',
    judged,
    k,
    coalesce(
        _ranking_option('gain', gain, 'linear|exp', gain::VARCHAR IN ('linear', 'exp')),
        CASE
            WHEN judged.ideal[1] > 1000 AND gain::VARCHAR = 'exp'
                THEN _ranking_gain_problem(
                    'exp', 'log2', NULL, NULL, list_max(list_filter(judged.grades, lambda grade: grade > 0)[:len(_ranking_hits(judged, k))]))
        END),
    _ranking_total(
        'ranking_cumulative_gain',
        judged,
        gain,
        _ranking_discounted(
            judged,
            list_filter(judged.grades, lambda grade: grade > 0),
            list_transform(_ranking_hits(judged, k), lambda rank: 1::DOUBLE),
            gain)));
