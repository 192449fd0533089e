-- hits / |truth|; with normalize=min, hits / min(|truth|, k), so that a list of k can reach 1.
--
-- normalize: 'truth' or 'min'
-- Example:   SELECT ranking_recall(ranking_judge([1, 3, 2, 6], [1, 2, 4]), 2);  -- 0.3333333333333333
CREATE OR REPLACE TEMP MACRO _ranking_recall(ranking, normalize := 'truth') AS
_ranking_unless_empty(
    ranking,
    ranking.n_hits / greatest(
        CASE normalize::VARCHAR WHEN 'min' THEN least(ranking.k, ranking.n_relevant) ELSE ranking.n_relevant END, 1));
