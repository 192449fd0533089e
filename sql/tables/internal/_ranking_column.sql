-- Internal: the pattern of a column's name, and of what stands in where there is none (ranking_absent): for COLUMNS,
-- which takes a pattern in less time than a lambda.
--
-- named:     what the user calls the column; NULL for what it is called by default
-- otherwise: that
-- Returns:   VARCHAR
-- Example:   SELECT _ranking_column(NULL, 'userid');  -- (?i)^(?:userid|ranking_absent)$
CREATE OR REPLACE TEMP MACRO _ranking_column(named, otherwise) AS
concat('(?i)^(?:', regexp_escape(coalesce(named::VARCHAR, otherwise)), '|ranking_absent)$');
