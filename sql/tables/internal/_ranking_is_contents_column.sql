-- Internal: say whether ranking_beyond_accuracy has a column, by the tables that it needs.
--
-- name:           the column's
-- history, items: as for ranking_beyond_accuracy
-- Returns:        BOOLEAN
-- Example:        SELECT _ranking_is_contents_column('novelty', 'train', NULL);
CREATE OR REPLACE TEMP MACRO _ranking_is_contents_column(name, history, items) AS
CASE
    WHEN name = 'ranking_system' THEN false
    WHEN name = 'users_without_history' THEN history IS NOT NULL
    -- columns: generated from measures/contents.py, do not edit
    WHEN name IN ('popularity', 'profile_popularity', 'novelty', 'long_tail', 'repeats', 'cold', 'popularity_lift')
        THEN (history IS NOT NULL)
    WHEN name IN ('diversity', 'categories')
        THEN (items IS NOT NULL)
    WHEN name IN ('miscalibration')
        THEN (history IS NOT NULL) AND (items IS NOT NULL)
    WHEN name IN ('coverage', 'items_outside_catalogue', 'gini', 'entropy')
        THEN (history IS NOT NULL OR items IS NOT NULL)
    -- end of columns
    ELSE true
END;
