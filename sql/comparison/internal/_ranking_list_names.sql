-- Internal: names as an error lists them, on one line. Used wherever one of a comparison's does.
--
-- names:   LIST of any type
-- Returns: VARCHAR
-- Example: SELECT _ranking_list_names(['als', 'bert']);  -- als, bert
CREATE OR REPLACE TEMP MACRO _ranking_list_names(names) AS
list_transform(
    [regexp_replace(
        array_to_string(list_transform(names, lambda name: _ranking_cut(name::VARCHAR)), ', '), '\s+', ' ', 'g'
    )],
    lambda text: CASE WHEN length(text) > 160 THEN text[:157] || '...' ELSE text END
)[1];
