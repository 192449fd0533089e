CREATE OR REPLACE TEMP MACRO ranking_interpolated_precision(judged, k := NULL, recall := 0) AS
_ranking_checked(
    'ranking_interpolated_precision',
    judged,
    k,
    _ranking_option('recall', recall, 'a number >= 0 and <= 1', TRY_CAST(recall AS DOUBLE) BETWEEN 0 AND 1),
    list_transform(
        [{
            'ranks': _ranking_hits(judged, k),
            'relevant': _ranking_n_relevant(judged),
            'level': TRY_CAST(recall AS DOUBLE)}],
        lambda of: coalesce(
            list_max(list_transform(
                of.ranks, lambda rank, number: CASE WHEN number / of.relevant >= of.level THEN number / rank END)),
            0))[1]);
