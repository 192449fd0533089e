-- Internal: return true, or an error if a column is missing, of a type that does not fit, or looks as if it should be
-- read. Known when the query is planned, so that it costs nothing.
--
-- rec, truth: names of tables, as query_table takes them
-- names:      what _ranking_names gives
-- caller:     the function that an error names
-- Returns:    BOOLEAN
-- Example:    SELECT _ranking_valid('rec', 'truth', _ranking_names('userid', 'itemid', 'score', NULL, NULL, true), 'f');
CREATE OR REPLACE TEMP MACRO _ranking_valid(rec, truth, names, caller) AS
coalesce(
    error(
        caller || ': '
        || coalesce(
            list_transform(
                [_ranking_misfits(rec, truth, names)],
                lambda misfits: coalesce(nullif(concat_ws('; ', misfits[1], misfits[2]), ''), list_any_value(misfits))
            )[1],
            _ranking_unread_column(rec, truth, names)))::BOOLEAN,
    true);
