-- Internal: cut-offs as the texts of numbers, whatever their type, so that none loses a digit.
--
-- ks:      a number or a LIST of numbers
-- Returns: VARCHAR[]
-- Example: SELECT _ranking_numbers(10);  -- ['10']
CREATE OR REPLACE TEMP MACRO _ranking_numbers(ks) AS
CASE WHEN ends_with(typeof(ks), ']') THEN ks::VARCHAR ELSE concat('[', coalesce(ks::VARCHAR, 'NULL'), ']') END::VARCHAR[];
