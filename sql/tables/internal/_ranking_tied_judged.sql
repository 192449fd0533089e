-- Internal: a judged ranking for every user, and the same with the tie that each item stands in.
--
-- rec, truth, names, max_k, caller, min_grade, unjudged: as for _ranking_judged
-- Returns: as _ranking_judged, without scores; and tied, what _ranking_tied_ranking gives
-- Example: FROM _ranking_tied_judged(
--     'rec', 'truth', _ranking_names('userid', 'itemid', 'score', NULL, NULL, true), 10, 'ranking_by_user');
CREATE OR REPLACE TEMP MACRO _ranking_tied_judged
    (rec, truth, names, max_k, caller, min_grade := NULL, unjudged := 'miss') AS TABLE
SELECT * EXCLUDE (scores, reversed, starts), _ranking_tied_ranking(judged, scores, reversed, starts) AS tied
FROM (
    SELECT
        *,
        list_reverse(scores) AS reversed,
        CASE
            WHEN len(scores) > 1000 THEN list_filter(
                range(1, len(scores) + 1),
                lambda rank: rank = 1 OR scores[rank] IS DISTINCT FROM scores[rank - 1]
            )
        END AS starts
    FROM _ranking_judged(rec, truth, names, max_k, true, caller, min_grade, unjudged)
);
