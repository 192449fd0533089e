-- The number of relevant items in the top k.
--
-- judged:  a judged ranking, from ranking_judge or ranking_judged
-- k:       how far to look, an integer of any type; NULL for the whole list
-- Returns: DOUBLE: 0, 1, 2, ...; 0 where truth is empty; NULL for NULL
-- Source:  trec_eval (num_rel_ret)
-- Example: SELECT ranking_hits(ranking_judge([1, 3, 2, 6], [1, 2, 4]));  -- 2.0
CREATE OR REPLACE TEMP MACRO ranking_hits(judged, k := NULL) AS
_ranking_checked(
    'ranking_hits',
    judged,
    k,
    NULL,
    list_transform([_ranking_at(judged, k)], lambda _ranking: _ranking_hits(_ranking))[1]);

CREATE OR REPLACE TEMP MACRO _ranking_hits(ranking) AS
(
    len(ranking.hits)
)::DOUBLE;

CREATE OR REPLACE TEMP MACRO _ranking_expected_hits(tied) AS
(
    _ranking_tied_hits(tied, tied.top)
)::DOUBLE;
