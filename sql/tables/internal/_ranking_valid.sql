-- Internal: true, or an error if the types of the columns do not fit. Known when the query is planned, so that it costs
-- nothing. Used by _ranking_judged.
--
-- rec, truth: names of tables, as query_table takes them
-- caller:     the function that an error names
-- Returns:    BOOLEAN
-- Example:    SELECT _ranking_valid('rec', 'truth', 'ranking_judged');
CREATE OR REPLACE TEMP MACRO _ranking_valid(rec, truth, caller) AS
coalesce(error(caller || ': ' || list_any_value(_ranking_misfits(rec, truth)))::BOOLEAN, true);
