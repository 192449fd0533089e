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
    list_transform(
        [{
            'ranks': _ranking_hits(judged, k),
            'satisfied': list_transform(
                list_filter(judged.grades, lambda grade: grade > 0)[:len(_ranking_hits(judged, k))],
                lambda _ranking_grade: _ranking_gain(_ranking_grade, 'exp') * 2 ** -TRY_CAST(max_grade AS DOUBLE))}],
        lambda hit: list_reduce(
            range(len(hit.ranks), 0, -1),
            lambda below, i: hit.satisfied[i::BIGINT] / hit.ranks[i::BIGINT] + (1 - hit.satisfied[i::BIGINT]) * below,
            0::DOUBLE))[1]);
