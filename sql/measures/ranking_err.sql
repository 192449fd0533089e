CREATE OR REPLACE TEMP MACRO ranking_err(judged, k := NULL, max_grade := 4) AS
_ranking_checked(
    'ranking_err',
    judged,
    k,
    coalesce(
        _ranking_option(
            'max_grade',
            max_grade,
            'a number > 0 and <= 1000',
            TRY_CAST(max_grade AS DOUBLE) > 0 AND TRY_CAST(max_grade AS DOUBLE) <= 1000),
        CASE
            WHEN judged.ideal[1] > TRY_CAST(max_grade AS DOUBLE)
                THEN format(
                    'a grade must be max_grade={:g} or less, got {:g}', TRY_CAST(max_grade AS DOUBLE), judged.ideal[1])
        END),
    list_reduce(
        list_reverse(list_transform(
            list_zip(_ranking_hits(judged, k), list_filter(judged.grades, lambda grade: grade > 0), true),
            lambda _ranking_hit:
                [1 / _ranking_hit[1], _ranking_gain(_ranking_hit[2], 'exp') * 2 ** -TRY_CAST(max_grade AS DOUBLE)])),
        lambda below, hit: [hit[1] * hit[2] + (1 - hit[2]) * below[1]],
        [0::DOUBLE])[1]);
