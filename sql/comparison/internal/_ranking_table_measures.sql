-- Internal: the columns of measures that the table functions have, as _ranking_measure_columns gives them.
--
-- Returns: LIST of STRUCT(name, type), in the order of the registry
-- Example: SELECT _ranking_table_measures();
CREATE OR REPLACE TEMP MACRO _ranking_table_measures() AS
list_transform(
    list_filter(map_entries(_ranking_known_measures()), lambda one: one.key = one.value.column_name),
    lambda one: {'name': one.key, 'type': 'DOUBLE'}
);
