-- Internal: the columns that look like those that tell runs of one model apart.
--
-- texts:   what _ranking_column_texts gives
-- Returns: VARCHAR[]
-- Example: SELECT _ranking_like_runs(_ranking_column_texts('STRUCT(userid INTEGER, seed INTEGER)'));  -- [seed]
CREATE OR REPLACE TEMP MACRO _ranking_like_runs(texts) AS
regexp_extract_all(
    texts,
    -- pattern: generated from tests/generate.py, do not edit
    '(?i), "?((?:run|(?:random_?)?seed|trial|fold|repeat|repetition)s?(?:_?(?:id|name|no|nr|number))?)"? '
    -- end of pattern
    , 1);
