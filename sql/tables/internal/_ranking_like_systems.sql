-- Internal: the columns that look like those that tell models apart.
--
-- type:    that of a row, as typeof gives it
-- Returns: VARCHAR[]
-- Example: SELECT _ranking_like_systems('STRUCT(userid INTEGER, itemid VARCHAR, score DOUBLE, model VARCHAR)');  -- [model]
CREATE OR REPLACE TEMP MACRO _ranking_like_systems(type) AS
regexp_extract_all(
    _ranking_column_texts(type),
    -- pattern: generated from udfs/ranking_udfs/evaluation/columns.py, do not edit
    '(?i), "?((?:model|algorithm|algo|variant|recommender|method|experiment|strategy|arm)(?:_?(?:id|name))?)"? '
    -- end of pattern
    , 1);
