CREATE OR REPLACE TEMP MACRO ranking_interpolated_average_precision(judged, k := NULL) AS
_ranking_checked(
    'ranking_interpolated_average_precision',
    judged,
    k,
    NULL,
    list_transform(
        [{'ranks': _ranking_hits(judged, k), 'relevant': _ranking_n_relevant(judged)}],
        lambda of: list_sum(list_transform(
            range(0, 11),
            lambda level: coalesce(
                list_max(list_transform(
                    of.ranks,
                    lambda rank, number: CASE WHEN number / of.relevant >= level / 10 THEN number / rank END)),
                0))))[1] / 11);
