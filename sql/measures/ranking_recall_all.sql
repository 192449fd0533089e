-- Example:   SELECT ranking_recall_all(ranking_judge([3, 1, 2, 6], [1, 2]), 3);  -- 1.0
CREATE OR REPLACE TEMP MACRO _ranking_recall_all(ranking) AS
((ranking.n_relevant > 0 AND ranking.n_hits = ranking.n_relevant)::INTEGER)::DOUBLE;

CREATE OR REPLACE TEMP MACRO _ranking_expected_recall_all(tied) AS
-- C(size - hits, taken - hits) / C(size, taken): how often all hits of a tie are among its ranks in the top k.
CASE
    WHEN tied.n_relevant > 0 AND len(tied.grades) = tied.n_relevant THEN list_product(flatten(list_transform(
        tied.ties, lambda tie: list_transform(range(tie.hits), lambda n: (tie.taken - n) / (tie.size - n)))))
    ELSE 0
END::DOUBLE;
