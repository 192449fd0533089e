-- Internal: which of two values of a measure is the better one.
--
-- measure: a measure's name
-- Returns: 'more', 'less', or '' if neither; 'more' for a name that is no measure's
-- Example: SELECT _ranking_better('first_hit_rank');  -- less
CREATE OR REPLACE TEMP MACRO _ranking_better(measure) AS
CASE
    -- generated from the registry, do not edit
    WHEN measure IN ('first_hit_rank') THEN 'less'
    WHEN measure IN ('ideal_dcg', 'idcg') THEN ''
    -- end
    ELSE 'more'
END;
