CREATE OR REPLACE TEMP MACRO ranking_r_precision(judged, k := NULL) AS
_ranking_checked(
    'ranking_r_precision',
    judged,
    k,
    NULL,
    list_transform(
        [{'ranks': _ranking_hits(judged, k), 'relevant': _ranking_n_relevant(judged)}],
        lambda of: len(list_filter(of.ranks, lambda rank: rank <= of.relevant)) / greatest(of.relevant, 1))[1]
        + (_ranking_n_relevant(judged) + least(judged.size, _ranking_cut_off(k, judged.size)) = 0)::INTEGER);
