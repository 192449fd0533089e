-- Internal: the columns that look like those that tell models apart.
--
-- texts:   what _ranking_column_texts gives
-- Returns: VARCHAR[]
-- Example: SELECT _ranking_like_systems(_ranking_column_texts('STRUCT(userid INTEGER, model VARCHAR)'));  -- [model]
CREATE OR REPLACE TEMP MACRO _ranking_like_systems(texts) AS
regexp_extract_all(
    texts,
    -- pattern: generated from tests/generate.py, do not edit
    '(?i), "?((?:model|algorithm|algo|variant|recommender|method|experiment|strategy|arm)(?:_?(?:id|name))?)"? '
    -- end of pattern
    , 1);
