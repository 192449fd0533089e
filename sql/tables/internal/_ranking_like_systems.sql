-- Internal: the columns that look like those that tell models apart.
--
-- type:    that of a row, as typeof gives it
-- Returns: VARCHAR[]
-- Example: SELECT _ranking_like_systems('STRUCT(userid INTEGER, itemid VARCHAR, score DOUBLE, model VARCHAR)');  -- [model]
CREATE OR REPLACE TEMP MACRO _ranking_like_systems(type) AS
regexp_extract_all(
    type,
    '(?i)(?:^\w+\(|, )"?((?:model|algorithm|algo|variant|recommender|method|run|experiment|strategy|arm)(?:_?(?:id|name))?)"? ',
    1);
