-- Relevant items in the top min(k, |truth|), divided by |truth|.
--
-- Example:   SELECT ranking_r_precision(ranking_judge([1, 3, 2, 4], [1, 2, 4]));  -- 0.6666666666666666
CREATE OR REPLACE TEMP MACRO _ranking_r_precision(ranking) AS
CASE
    WHEN len(ranking.ideal) = 0 AND ranking.top = 0 THEN 1
    ELSE len(list_filter(ranking.hits, lambda rank: rank <= ranking.n_relevant)) / greatest(ranking.n_relevant, 1)
END::DOUBLE;

CREATE OR REPLACE TEMP MACRO _ranking_expected_r_precision(tied) AS
CASE
    WHEN len(tied.ideal) = 0 AND tied.top = 0 THEN 1
    ELSE _ranking_tied_hits(tied, least(tied.top, tied.n_relevant)) / greatest(tied.n_relevant, 1)
END::DOUBLE;
