-- Internal: whether there is a column of this name with ties := 'expected'.
--
-- name:    name of a column of ranking_by_user
-- Returns: BOOLEAN
-- Example: SELECT _ranking_has_expected('bpref');  -- false
CREATE OR REPLACE TEMP MACRO _ranking_has_expected(name) AS
name NOT IN (
    -- measures: generated from the registry, do not edit
    'first_hit_rank',
    'bpref',
    'interpolated_precision',
    'interpolated_average_precision',
    'spearman',
    'kendall_tau',
    'concordant_pairs'
    -- end of measures
);
