-- Internal: the cut-offs as ranking_values takes them, behind the name of a measure. Used by _ranking_by_user.
--
-- cuts:    LIST of integers; NULL among them means the whole list
-- Returns: VARCHAR
-- Example: SELECT _ranking_at([5, 10, NULL]);  -- @5,10,all
CREATE OR REPLACE TEMP MACRO _ranking_at(cuts) AS
'@' || array_to_string([coalesce(k::VARCHAR, 'all') FOR k IN cuts], ',');
