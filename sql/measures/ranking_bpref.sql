-- 1/R * sum over the hits of (1 - min(n, R) / min(N, R)), n being the judged non-relevant items above the hit, R and
-- N the relevant and the judged non-relevant items of truth.
--
-- Example:   SELECT ranking_bpref(ranking_judge(['a', 'x', 'b'], ['a', 'x', 'b', 'y'], [1, 0, 1, 0]));  -- 0.75
CREATE OR REPLACE TEMP MACRO _ranking_bpref(ranking) AS
(
    coalesce(
        list_sum(list_transform(
            list_filter(
                list_transform(ranking.seen, lambda grade, place: CASE WHEN grade > 0 THEN place END),
                lambda place: place IS NOT NULL),
            lambda place, number: 1 - least(place - number, ranking.n_relevant)
                / greatest(least(len(ranking.ideal) - ranking.n_relevant, ranking.n_relevant), 1))),
        0)
    / greatest(ranking.n_relevant, 1)
)::DOUBLE;
