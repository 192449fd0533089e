-- hits / k; with divide=list, hits / min(k, |rec|).
--
-- divide:    'k', or 'list' for the length of a list that is shorter; the same without k
-- Example:   SELECT ranking_precision(ranking_judge([1, 3, 2], [1, 2, 4]), 5);  -- 0.4
CREATE OR REPLACE TEMP MACRO _ranking_precision(ranking, divide := 'k') AS
_ranking_unless_empty(
    ranking, ranking.n_hits / greatest(CASE divide::VARCHAR WHEN 'list' THEN ranking.top ELSE ranking.k END, 1));
