-- Internal: the sum of discounted gains: of items in the list, or in the best possible one. Where all grades of truth
-- are equal, in gains of one item; else in 2^24, so that no sum overflows.
--
-- judged:    a judged ranking
-- grades:    LIST of grades, all of which its ideal holds, perhaps more of them than
-- discounts: LIST of what a gain is worth at the rank of each
-- gain:      'exp' or 'linear'
-- Returns:   DOUBLE
CREATE OR REPLACE TEMP MACRO _ranking_discounted(judged, grades, discounts, gain) AS
coalesce(
    list_sum(CASE
        WHEN judged.ideal[1] = judged.ideal[-1] THEN discounts
        ELSE list_transform(
            list_zip(discounts, grades, true),
            lambda _ranking_item: _ranking_item[1] * 2::DOUBLE ** -24 * _ranking_gain(_ranking_item[2], gain))
    END),
    0);
