-- Internal: the numeric columns that look like grades.
--
-- type:    that of a row, as typeof gives it
-- Returns: VARCHAR[]
-- Example: SELECT _ranking_like_grades('STRUCT(userid INTEGER, itemid VARCHAR, stars INTEGER)');  -- [stars]
CREATE OR REPLACE TEMP MACRO _ranking_like_grades(type) AS
regexp_extract_all(
    _ranking_column_texts(type),
    -- pattern: generated from udfs/ranking_udfs/evaluation/columns.py, do not edit
    '(?i), "?((?:user_?)?ratings?|stars?|grades?|relevance|relevancy|relevant|gain|label|score|points|weight|value)"? (?:U?[A-Z]*INT|INTEGER|DECIMAL|FLOAT|DOUBLE|BOOLEAN),'
    -- end of pattern
    , 1);
