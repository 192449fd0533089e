-- Internal: the sum of discounted gains, of items in the list or in the best possible one. Where all grades of truth
-- are equal, it counts in gains of one item, as only discounts matter then; else in 2^24, so that no sum overflows.
--
-- ranking:   what _ranking_at gives
-- grades:    LIST of grades, all of which its ideal holds; those without a discount are left out
-- discounts: LIST of what a gain is worth at the rank of each
-- gain:      'exp' or 'linear'
-- Returns:   DOUBLE
-- Example:   SELECT _ranking_discounted_gain({'ideal': [1, 1]}, [1, 1], [1.0, 0.5], 'exp');  -- 1.5
CREATE OR REPLACE TEMP MACRO _ranking_discounted_gain(ranking, grades, discounts, gain) AS
coalesce(
    list_sum(CASE
        WHEN ranking.ideal[1] = ranking.ideal[-1] THEN discounts
        ELSE list_transform(
            list_zip(discounts, grades, true),
            lambda _ranking_item: _ranking_item[1] * 2 ** -24 * _ranking_gain(_ranking_item[2], gain))
    END),
    0);
