-- Internal: the columns that look like those that tell runs of one model apart.
--
-- type:    that of a row, as typeof gives it
-- Returns: VARCHAR[]
-- Example: SELECT _ranking_like_runs('STRUCT(userid INTEGER, itemid VARCHAR, score DOUBLE, seed INTEGER)');  -- [seed]
CREATE OR REPLACE TEMP MACRO _ranking_like_runs(type) AS
regexp_extract_all(
    _ranking_column_texts(type),
    -- pattern: generated from udfs/ranking_udfs/evaluation/columns.py, do not edit
    '(?i), "?((?:run|(?:random_?)?seed|trial|fold|repeat|repetition)s?(?:_?(?:id|name|no|nr|number))?)"? '
    -- end of pattern
    , 1);
