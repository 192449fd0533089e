CREATE OR REPLACE TEMP MACRO ranking_recall(judged, k := NULL, normalize := 'truth') AS
_ranking_checked(
    'ranking_recall',
    judged,
    k,
    _ranking_option('normalize', normalize, 'truth|min', normalize::VARCHAR IN ('truth', 'min')),
    len(_ranking_hits(judged, k))
        / greatest(
            CASE normalize::VARCHAR
                WHEN 'min' THEN least(_ranking_cut_off(k, judged.size), _ranking_n_relevant(judged))
                ELSE _ranking_n_relevant(judged)
            END,
            1)
        + (_ranking_n_relevant(judged) + least(judged.size, _ranking_cut_off(k, judged.size)) = 0)::INTEGER);
