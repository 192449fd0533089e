-- Internal: the name in a text that names a measure, without what people write differently.
--
-- text:    VARCHAR, such as 'Hit-rate@5'
-- Returns: VARCHAR
-- Example: SELECT _ranking_called('Hit-rate@5');  -- hit_rate
CREATE OR REPLACE TEMP MACRO _ranking_called(text) AS
regexp_replace(lower(trim(regexp_extract(text, '^[^()@]*'), E' \t\n\r')), '\W+', '_', 'g');
