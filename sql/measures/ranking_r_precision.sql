-- Relevant items in the top min(k, |truth|), divided by |truth|.
--
-- Example:   SELECT ranking_r_precision(ranking_judge([1, 3, 2, 4], [1, 2, 4]));  -- 0.6666666666666666
CREATE OR REPLACE TEMP MACRO _ranking_r_precision(ranking) AS
_ranking_unless_empty(
    ranking, len(list_filter(ranking.hits, lambda rank: rank <= ranking.n_relevant)) / greatest(ranking.n_relevant, 1));

CREATE OR REPLACE TEMP MACRO _ranking_expected_r_precision(tied) AS
_ranking_unless_empty(
    tied, _ranking_tied_hits(tied, least(tied.top, tied.n_relevant)) / greatest(tied.n_relevant, 1));
