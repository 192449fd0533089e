-- Internal: the names of a table's columns, short enough for an error of one line.
--
-- texts:   what _ranking_column_texts gives
-- Returns: VARCHAR
-- Example: SELECT _ranking_columns(', userid INTEGER,, price DECIMAL,');  -- userid, price
CREATE OR REPLACE TEMP MACRO _ranking_columns(texts) AS
_ranking_cut(replace(array_to_string(regexp_extract_all(texts, ', ("(?:[^"]|"")*"|[^ ]+) ', 1), ', '), ',, ', ', '));
