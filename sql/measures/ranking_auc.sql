CREATE OR REPLACE TEMP MACRO ranking_auc(judged, k := NULL) AS
_ranking_checked(
    'ranking_auc',
    judged,
    k,
    NULL,
    list_transform(
        [{
            'hits': len(_ranking_hits(judged, k)),
            'sum': list_sum(_ranking_hits(judged, k)),
            'top': least(judged.size, _ranking_cut_off(k, judged.size))}],
        lambda of: CASE
            WHEN of.hits > 0 AND of.hits < of.top
                THEN 1 - (of.sum - of.hits * (of.hits + 1) / 2) / (of.hits * (of.top - of.hits))
            ELSE 0.5
        END)[1]);
