-- Internal: a sum of discounted gains as a DOUBLE, or an error if it is too large for one.
--
-- caller:  the function that an error names
-- ranking: what _ranking_at gives
-- gain:    'exp' or 'linear'
-- highest: the highest of the grades that count
-- counted: the sum
-- Returns: DOUBLE
-- Example: SELECT _ranking_total('ranking_dcg', {'ideal': [3]}, 'exp', 3, 1);  -- 7.0
CREATE OR REPLACE TEMP MACRO _ranking_total(caller, ranking, gain, highest, counted) AS
_ranking_gain_fits(caller, gain, highest) * list_transform(
    [counted * CASE
        WHEN ranking.ideal[1] = ranking.ideal[-1]
            THEN least(greatest(_ranking_gain(ranking.ideal[1], gain), 0), 1.7976931348623157e308)
        ELSE 2::DOUBLE ** 24
    END],
    lambda total: CASE
        WHEN total = 'inf'
            THEN error(format(
                '{}: grades must have a sum that a DOUBLE can hold, got one of {:g}', caller, ranking.ideal[1]))
        ELSE total
    END)[1];
