CREATE OR REPLACE TEMP MACRO ranking_average_precision(judged, k := NULL, normalize := 'truth') AS
_ranking_checked(
    'ranking_average_precision',
    judged,
    k,
    _ranking_option('normalize', normalize, 'truth|min|hits', normalize::VARCHAR IN ('truth', 'min', 'hits')),
    coalesce(list_sum(list_transform(_ranking_hits(judged, k), lambda rank, number: number / rank)), 0)
        / greatest(
            CASE normalize::VARCHAR
                WHEN 'min' THEN least(_ranking_cut_off(k, judged.size), _ranking_n_relevant(judged))
                WHEN 'hits' THEN len(_ranking_hits(judged, k))
                ELSE _ranking_n_relevant(judged)
            END,
            1)
        + (_ranking_n_relevant(judged) + least(judged.size, _ranking_cut_off(k, judged.size)) = 0)::INTEGER);
