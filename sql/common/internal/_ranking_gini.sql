-- Internal: the Gini index of counts, by the formula of gini_coverage.
--
-- counts   LIST of numbers above 0, ascending
-- n_items  how many there are together with those that are 0
--
-- Example:
--   SELECT _ranking_gini([1, 3], 4);
--   0.8333333333333334

CREATE OR REPLACE TEMP MACRO _ranking_gini(counts, n_items) AS
    (2 * (list_sum(list_transform(counts, lambda count, rank: rank * count))
            + (n_items - len(counts)) * list_sum(counts))
        - (n_items + 1) * list_sum(counts))
    / nullif(greatest(n_items - 1, 1) * list_sum(counts), 0);
