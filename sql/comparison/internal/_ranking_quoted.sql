-- Internal: a text in quotes, short enough for an error of one line.
--
-- text:    VARCHAR
-- Returns: VARCHAR
-- Example: SELECT _ranking_quoted('zip');  -- 'zip'
CREATE OR REPLACE TEMP MACRO _ranking_quoted(text) AS
'''' || regexp_replace(CASE WHEN length(text) > 100 THEN text[:100] || '...' ELSE text END, '\s', ' ', 'g') || '''';
