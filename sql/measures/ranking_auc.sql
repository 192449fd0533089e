-- The share of the (hit, miss) pairs within the top k in which the hit is ranked higher.
--
-- 1 - the sum of the misses above each hit / (hits (min(k, |rec|) - hits)). The n-th hit, at rank r, has r - n misses
-- above it.
--
-- judged:  a judged ranking, from ranking_judge or ranking_judged
-- k:       how far to look, an integer of any type; NULL for the whole list
-- Returns: DOUBLE from 0 to 1; 0.5 without such a pair; NULL for NULL
-- Source:  Rendle et al. (2009)
-- Example: SELECT ranking_auc(ranking_judge([1, 3, 2, 6], [1, 2, 4]));  -- 0.75
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
