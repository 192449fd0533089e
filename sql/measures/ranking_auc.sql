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
    list_transform([_ranking_at(judged, k)], lambda _ranking: _ranking_auc(_ranking))[1]);

CREATE OR REPLACE TEMP MACRO _ranking_auc(ranking) AS
(
    CASE
        WHEN len(ranking.hits) > 0 AND len(ranking.hits) < ranking.top
            THEN 1 - (list_sum(ranking.hits) - len(ranking.hits) * (len(ranking.hits) + 1) / 2)
                / (len(ranking.hits) * (ranking.top - len(ranking.hits)))
        ELSE 0.5
    END
)::DOUBLE;
