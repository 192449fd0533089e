-- Internal: the numeric columns that look like grades.
--
-- type:    that of a row, as typeof gives it
-- Returns: VARCHAR[]
-- Example: SELECT _ranking_like_grades('STRUCT(userid INTEGER, itemid VARCHAR, stars INTEGER)');  -- [stars]
CREATE OR REPLACE TEMP MACRO _ranking_like_grades(type) AS
regexp_extract_all(
    type,
    '(?i)(?:^\w+\(|, )"?((?:user_?)?ratings?|stars?|grades?|relevance|relevancy|relevant|gain|label|score|points|weight|value)"? '
    || '(?:U?[A-Z]*INT|INTEGER|DECIMAL|FLOAT|DOUBLE)\b',
    1);
