CREATE OR REPLACE TEMP MACRO ranking_kendall_tau(judged, k := NULL, variant := 'b') AS
_ranking_checked(
    'ranking_kendall_tau',
    judged,
    k,
    _ranking_option('variant', variant, 'b|c', variant::VARCHAR IN ('b', 'c')),
    list_transform(
        _ranking_pairs(judged, k),
        lambda _ranking_of: CASE
            WHEN _ranking_of.pairs > 0
                THEN greatest(-1, least(1, (2 * _ranking_of.right - _ranking_of.pairs)
                    / CASE variant::VARCHAR
                        WHEN 'b' THEN sqrt(_ranking_of.pairs) * sqrt(_ranking_of.items * (_ranking_of.items - 1) / 2)
                        ELSE _ranking_of.items ** 2 * (_ranking_of.grades - 1) / (2 * _ranking_of.grades)
                    END))
        END)[1]);
