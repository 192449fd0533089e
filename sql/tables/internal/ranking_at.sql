-- The cut-offs as ranking_values takes them, behind the name of a measure. Used by ranking_by_user.
--
-- ks:      LIST of integers; NULL among them means the whole list
-- Returns: VARCHAR
-- Example: SELECT ranking_at([5, 10, NULL]);  -- @5,10,all
CREATE OR REPLACE TEMP MACRO ranking_at(ks) AS
'@' || array_to_string(list_transform(ranking_cuts(ks), lambda k: coalesce(k::VARCHAR, 'all')), ',');
