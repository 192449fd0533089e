-- (1 + beta^2) P R / (beta^2 P + R) with P = hits / k and R = hits / |truth|, which is (1 + beta^2) hits
-- / (beta^2 |truth| + k); 0 without a hit. With divide=list, P = hits / min(k, |rec|).
--
-- beta:      a number >= 0
-- divide:    'k', or 'list' for the length of a list that is shorter; the same without k
-- Example:   SELECT ranking_f_measure(ranking_judge([1, 3, 2, 6], [1, 2, 4]), 4);  -- 0.5714285714285714
CREATE OR REPLACE TEMP MACRO _ranking_f_measure(ranking, beta := 1, divide := 'k') AS
_ranking_unless_empty(ranking, least(
    (1 + least(TRY_CAST(beta AS DOUBLE), 1e100) ** 2) * ranking.n_hits
        / greatest(
            least(TRY_CAST(beta AS DOUBLE), 1e100) ** 2 * ranking.n_relevant
                + CASE divide::VARCHAR WHEN 'list' THEN ranking.top ELSE ranking.k END,
            1),
    1));
