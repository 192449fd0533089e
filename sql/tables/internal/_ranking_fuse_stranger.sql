-- Internal: the error text of a name that is no system of rec; NULL for none.
--
-- argument:     the argument that names it
-- named:        VARCHAR[]
-- every_system: VARCHAR[]
-- Returns:      VARCHAR
-- Example:      SELECT _ranking_fuse_stranger('systems', ['bm52'], ['bm25', 'vector']);
CREATE OR REPLACE TEMP MACRO _ranking_fuse_stranger(argument, named, every_system) AS
argument || ' must name systems of rec (' || _ranking_cut(array_to_string(every_system, ', ')) || '), got '
|| list_transform(
    list_filter(named, lambda name: name IS NULL OR NOT coalesce(list_contains(every_system, name), false)),
    lambda name: coalesce(_ranking_cut(name), 'NULL')
)[1];
