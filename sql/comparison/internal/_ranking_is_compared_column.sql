-- Internal: whether a column of a table with a row per user is one to compare by.
--
-- name:     the column's
-- measures: LIST of names, in whatever case; NULL for all columns that are no keys
-- Returns:  BOOLEAN
-- Example:  SELECT _ranking_is_compared_column('ndcg', ['NDCG', 'recall']);
CREATE OR REPLACE TEMP MACRO _ranking_is_compared_column(name, measures) AS
CASE
    WHEN measures IS NULL
        THEN lower(name) NOT IN ('system', 'userid', 'k', 'segment', 'ranking_segment', 'n_rec', 'n_rec_baseline', 'n_truth')
    ELSE list_contains(list_transform(TRY_CAST(measures AS VARCHAR[]), lambda one: lower(trim(one))), lower(name))
END;
