-- Internal: the measures that are given, by the names of their columns, or the default ones.
--
-- measures: LIST of names, NULL for _ranking_default_measures()
-- Returns:  VARCHAR[]
-- Example:  SELECT _ranking_measures_or_default(NULL);
CREATE OR REPLACE TEMP MACRO _ranking_measures_or_default(measures) AS
coalesce(
    list_transform(
        TRY_CAST(measures AS VARCHAR[]),
        lambda one: coalesce(_ranking_known_measures()[lower(trim(one))].column_name, lower(trim(one)))),
    _ranking_default_measures());
