-- Internal: |truth|, the number of truth items with a grade above 0; 0 for NULL.
--
-- judged:  a judged ranking
-- Returns: BIGINT
-- Example: SELECT _ranking_n_relevant(ranking_judge([1, 3], [1, 2, 4]));  -- 3
CREATE OR REPLACE TEMP MACRO _ranking_n_relevant(judged) AS
CASE
    WHEN judged.ideal[-1] > 0 THEN len(judged.ideal)
    ELSE coalesce(len(list_filter(judged.ideal, lambda grade: grade > 0)), 0)
END;
