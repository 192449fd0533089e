-- Internal: the numeric columns that look like grades.
--
-- texts:   what _ranking_column_texts gives
-- Returns: VARCHAR[]
-- Example: SELECT _ranking_like_grades(_ranking_column_texts('STRUCT(userid INTEGER, stars INTEGER)'));  -- [stars]
CREATE OR REPLACE TEMP MACRO _ranking_like_grades(texts) AS
regexp_extract_all(
    texts,
    -- pattern: generated from tests/generate.py, do not edit
    '(?i), "?((?:user_?)?ratings?|stars?|grades?|relevance|relevancy|relevant|gain|label|score|points|weight|value)"? (?:U?[A-Z]*INT|INTEGER|DECIMAL|FLOAT|DOUBLE|BOOLEAN),'
    -- end of pattern
    , 1);
