-- 1 - the sum of the misses above each hit / (hits (min(k, |rec|) - hits)). The n-th hit, at rank r, has r - n misses
-- above it.
--
-- Example:   SELECT ranking_auc(ranking_judge([1, 3, 2, 6], [1, 2, 4]));  -- 0.75
CREATE OR REPLACE TEMP MACRO _ranking_auc(ranking) AS
CASE
    WHEN len(ranking.hits) > 0 AND len(ranking.hits) < ranking.top
        THEN 1 - (list_sum(ranking.hits) - len(ranking.hits) * (len(ranking.hits) + 1) / 2)
            / (len(ranking.hits) * (ranking.top - len(ranking.hits)))
    ELSE 0.5
END::DOUBLE;

CREATE OR REPLACE TEMP MACRO _ranking_expected_auc(tied) AS
-- A hit and a miss of one tie count half. Only of the last tie it depends on the order how many are in the top k.
coalesce(
    list_transform(
        list_transform(
            tied.ties[-1:],
            lambda last: {
                'ways': _ranking_tied_ways(last),
                'last': last,
                'wrong': coalesce(
                    list_sum(list_transform(
                        tied.ties[:-2],
                        lambda tie: tie.hits * (tie.above - tie.before + (tie.size - tie.hits) / 2))),
                    0)}),
        lambda of: list_sum(list_transform(
            of.ways,
            lambda way: way.weight * CASE
                WHEN of.last.before + way.hits BETWEEN 1 AND tied.top - 1
                    THEN 1 - (of.wrong + way.hits
                        * (of.last.above - of.last.before + (of.last.taken - way.hits) / 2))
                        / ((of.last.before + way.hits) * (tied.top - of.last.before - way.hits))
                ELSE 0.5
            END))
            / list_sum(list_transform(of.ways, lambda way: way.weight)))[1],
    0.5)::DOUBLE;
