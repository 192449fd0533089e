-- The sum of P(r) over the ranks r of the hits, P(r) being the precision of the first r items, divided by |truth|;
-- with normalize=min by min(|truth|, k), with normalize=hits by the hits in the top k, with normalize=k by k.
--
-- normalize: 'truth', 'min', 'hits' or 'k'
-- Example:   SELECT ranking_average_precision(ranking_judge([1, 3, 2, 6], [1, 2, 4]));  -- 0.5555555555555555
CREATE OR REPLACE TEMP MACRO _ranking_average_precision(ranking, normalize := 'truth') AS
_ranking_unless_empty(
    ranking,
    coalesce(list_sum(list_transform(ranking.hits, lambda rank, number: number / rank)), 0)
    / _ranking_precision_divisor(ranking, normalize));

-- The number by which a sum of precisions is divided.
CREATE OR REPLACE TEMP MACRO _ranking_precision_divisor(ranking, normalize) AS
greatest(
    CASE normalize::VARCHAR
        WHEN 'min' THEN least(ranking.k, ranking.n_relevant)
        WHEN 'hits' THEN ranking.n_hits
        WHEN 'k' THEN ranking.k
        ELSE ranking.n_relevant
    END,
    1);

CREATE OR REPLACE TEMP MACRO _ranking_expected_average_precision(tied, normalize := 'truth') AS
_ranking_unless_empty(tied, CASE
    -- The hits are counted in the top k, so it goes by how many of the last tie are there, where each is at any
    -- rank as often; the sum of their precisions is a multiple of n and one of n (n - 1).
    WHEN normalize::VARCHAR = 'hits' THEN coalesce(
        list_transform(
            list_transform(
                tied.ties[-1:],
                lambda last: {
                    'ways': _ranking_tied_ways(last),
                    'before': last.before,
                    'above': coalesce(
                        list_sum(list_transform(
                            tied.ties[:-2], lambda tie: _ranking_tied_precisions(tie, tie.hits, tie.size))),
                        0),
                    'alone': _ranking_tied_precisions(last, 1, last.taken),
                    'paired': _ranking_tied_precisions(last, 2, last.taken) / 2}),
            lambda of: list_sum(list_transform(
                of.ways,
                lambda way: way.weight / greatest(of.before + way.hits, 1) * (
                    of.above + way.hits * (of.alone + (way.hits - 1) * (of.paired - of.alone)))))
                / list_sum(list_transform(of.ways, lambda way: way.weight)))[1],
        0)
    ELSE coalesce(
        list_sum(list_transform(tied.ties, lambda tie: _ranking_tied_precisions(tie, tie.hits, tie.size))), 0)
        / _ranking_precision_divisor(tied, normalize)
END);
