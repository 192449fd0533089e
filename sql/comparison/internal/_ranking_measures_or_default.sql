-- Internal: the names that are given, or the default ones.
--
-- measures: LIST of names, NULL for _ranking_default_measures()
-- Returns:  VARCHAR[]
-- Example:  SELECT _ranking_measures_or_default(NULL);
CREATE OR REPLACE TEMP MACRO _ranking_measures_or_default(measures) AS
coalesce(TRY_CAST(measures AS VARCHAR[]), _ranking_default_measures());
