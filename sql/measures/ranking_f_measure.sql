CREATE OR REPLACE TEMP MACRO ranking_f_measure(judged, k := NULL, beta := 1) AS
_ranking_checked(
    'ranking_f_measure',
    judged,
    k,
    _ranking_option('beta', beta, 'a number >= 0', TRY_CAST(beta AS DOUBLE) BETWEEN 0 AND 1.7976931348623157e308),
    least(
        (1 + least(TRY_CAST(beta AS DOUBLE), 1e100) ** 2) * len(_ranking_hits(judged, k))
            / greatest(
                least(TRY_CAST(beta AS DOUBLE), 1e100) ** 2 * _ranking_n_relevant(judged)
                    + least(judged.size, _ranking_cut_off(k, judged.size)),
                1),
        1)
        + (_ranking_n_relevant(judged) + least(judged.size, _ranking_cut_off(k, judged.size)) = 0)::INTEGER);
