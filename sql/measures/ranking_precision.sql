CREATE OR REPLACE TEMP MACRO ranking_precision(judged, k := NULL, divide := 'list') AS
_ranking_checked(
    'ranking_precision',
    judged,
    k,
    _ranking_option('divide', divide, 'list|k', divide::VARCHAR IN ('list', 'k')),
    len(_ranking_hits(judged, k))
        / greatest(
            CASE divide::VARCHAR
                WHEN 'k' THEN _ranking_cut_off(k, judged.size)
                ELSE least(judged.size, _ranking_cut_off(k, judged.size))
            END,
            1)
        + (_ranking_n_relevant(judged) + least(judged.size, _ranking_cut_off(k, judged.size)) = 0)::INTEGER);
