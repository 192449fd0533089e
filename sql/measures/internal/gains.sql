-- The sum of discounted gains of the best possible list; where all grades are equal, its length alone decides.
CREATE OR REPLACE TEMP MACRO _ranking_ideal(ranking, grades, gain, discount, base, half_life, ideal := 'cut') AS
coalesce(
    CASE
        WHEN ranking.ideal[1] = ranking.ideal[-1] AND discount::VARCHAR = 'log2' AND ideal::VARCHAR = 'cut'
            THEN ranking.log2_ideal
    END,
    _ranking_discounted_gain(
        ranking,
        CASE ideal::VARCHAR WHEN 'k' THEN list_resize([]::DOUBLE[], least(ranking.k, 10000), 1::DOUBLE) ELSE grades END,
        list_transform(
            range(
                1,
                1 + CASE ideal::VARCHAR
                    WHEN 'truth' THEN ranking.n_relevant
                    WHEN 'k' THEN least(ranking.k, 10000)
                    ELSE least(ranking.k, ranking.n_relevant)
                END),
            lambda _ranking_rank: _ranking_discount(_ranking_rank, discount, base, half_life)),
        gain));

-- The sum of discounted gains, of items in the list or in the best possible one. Where all grades of truth
-- are equal, it counts in gains of one item, as only discounts matter then; else in 2^24, so that no sum overflows.
CREATE OR REPLACE TEMP MACRO _ranking_discounted_gain(ranking, grades, discounts, gain) AS
coalesce(
    list_sum(CASE
        WHEN ranking.ideal[1] = ranking.ideal[-1] THEN discounts
        ELSE list_transform(
            list_zip(discounts, grades, true),
            lambda _ranking_item: _ranking_item[1] * 2 ** -24 * _ranking_gain(_ranking_item[2], gain))
    END),
    0);

-- The gain of an item: 2^grade - 1, which is 2^(g / 2) 2 sinh(g ln(2) / 2), with the digits of a small g; or the grade.
CREATE OR REPLACE TEMP MACRO _ranking_gain(grade, gain) AS
CASE
    WHEN gain::VARCHAR = 'linear' THEN grade::DOUBLE
    WHEN grade::DOUBLE < 1 THEN 2 ** (grade::DOUBLE / 2) * 2 * sinh(grade::DOUBLE * ln(2) / 2)
    ELSE 2 ** grade::DOUBLE - 1
END;

-- The weight of each relevant item in the list, which is a function of its rank. A formula made with this is also that of
-- the measure's expected value over ties, by _ranking_expected_weights.
CREATE OR REPLACE TEMP MACRO _ranking_weights(ranking, weight) AS
list_transform(ranking.hits, weight);

-- The discount factor of a gain at a rank. DuckDB may compute it before it is seen that a base or a rank is out of
-- bounds: then it must not fail.
CREATE OR REPLACE TEMP MACRO _ranking_discount(rank, discount, base, half_life) AS
CASE discount::VARCHAR
    WHEN 'original'
        THEN 1 / greatest(
            1, log(greatest(coalesce(TRY_CAST(base AS DOUBLE), 2), 1.0000000000000002), greatest(rank::DOUBLE, 1)))
    WHEN 'half_life' THEN 2 ** ((1 - rank::DOUBLE) / (coalesce(TRY_CAST(half_life AS DOUBLE), 5) - 1))
    ELSE ln(2) / ln(rank::DOUBLE + 1)  -- Hivemall's order, for the same last digit
END;

-- The ideal DCG where all grades are 1: the sum of ln(2) / ln(rank + 1) over the ranks of the best list.
CREATE OR REPLACE TEMP MACRO _ranking_log2_ideal(k, n) AS
-- A table of constants, outside of any lambda: DuckDB computes it once, when it plans.
list_transform(
    range(1, 129), lambda n: list_sum(list_transform(range(1, n + 1), lambda rank: ln(2) / ln(rank + 1)))
)[least(k, n)];

-- A sum of discounted gains as a DOUBLE, or an error if it is too large for one.
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

-- 1, or an error if a grade is too high for its gain.
CREATE OR REPLACE TEMP MACRO _ranking_gain_fits(caller, gain, highest) AS
coalesce(
    error(CASE
        WHEN highest::DOUBLE > 1000 AND gain::VARCHAR = 'exp'
            THEN format('{}: a grade must be 1000 or less with gain=exp (gain := ''linear'' takes any), got {:g}', caller, highest)
    END)::INTEGER,
    1);
