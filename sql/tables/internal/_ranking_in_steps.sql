-- Internal: whether scores are in equal steps, as ranks are.
--
-- sorted:  LIST of DOUBLE, ascending
-- n:       its length
-- Returns: BOOLEAN
-- Example: SELECT _ranking_in_steps([1, 2, 3], 3);
CREATE OR REPLACE TEMP MACRO _ranking_in_steps(sorted, n) AS
len(list_filter(
    sorted,
    lambda score, i: abs(score - sorted[1] - (i - 1) * (sorted[n] - sorted[1]) / (n - 1)) > 1e-6 * (sorted[n] - sorted[1])
)) = 0;
