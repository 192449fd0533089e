-- Internal: as _ranking_judged, and the same with ties.
--
-- rec, truth, names, max_k, tied, caller: as for _ranking_judged
-- Returns: as _ranking_judged, and tied, what _ranking_tied gives; NULL unless tied
-- Example: FROM _ranking_tied_judged(
--     'rec', 'truth', _ranking_names('userid', 'itemid', 'score', NULL, NULL, true), 10, true, 'ranking_by_user');
CREATE OR REPLACE TEMP MACRO _ranking_tied_judged(rec, truth, names, max_k, tied, caller) AS TABLE
SELECT * EXCLUDE (scores, reversed), CASE WHEN tied THEN _ranking_tied(judged, scores, reversed) END AS tied
FROM (
    SELECT *, list_reverse(scores) AS reversed
    FROM _ranking_judged(rec, truth, names, max_k, tied, caller)
);
