CREATE OR REPLACE TEMP MACRO ranking_concordant_pairs(judged, k := NULL) AS
_ranking_checked(
    'ranking_concordant_pairs',
    judged,
    k,
    NULL,
    list_transform(_ranking_pairs(judged, k), lambda of: CASE WHEN of.pairs > 0 THEN of.right / of.pairs END)[1]);
