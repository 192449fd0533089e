-- Internal: whether a column of a table with a row per user is one to compare by.
--
-- name:     the column's
-- measures: LIST of texts such as 'ndcg@5,10'; NULL for all columns that are no keys
-- Returns:  BOOLEAN
-- Example:  SELECT _ranking_is_measure('ndcg', ['ndcg@5,10', 'recall']);
CREATE OR REPLACE TEMP MACRO _ranking_is_measure(name, measures) AS
CASE
    WHEN measures IS NULL THEN lower(name) NOT IN ('system', 'userid', 'k', 'segment', 'ranking_segment', 'n_rec', 'n_truth')
    ELSE list_contains(
        flatten(list_transform(
            TRY_CAST(measures AS VARCHAR[]),
            lambda one: [lower(trim(one)), lower(trim(regexp_replace(one, '@[^@]*$', '')))]
        )),
        lower(name)
    )
END;
