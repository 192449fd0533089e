-- Internal: the error text of columns of rec that do not fit where there is no truth; NULL for none. Known when the query
-- is planned.
--
-- rec:     name of a table, as query_table takes it
-- names:   what _ranking_names gives, with '' for grades
-- Returns: VARCHAR
-- Example: SELECT _ranking_rec_misfit('rec', _ranking_names('userid', 'itemid', 'score', '', NULL, true));
CREATE OR REPLACE TEMP MACRO _ranking_rec_misfit(rec, names) AS
coalesce(
    -- rec stands in the place of truth, too: what is said of truth is said of it already.
    list_transform(
        [_ranking_misfits(rec, rec, names)], lambda misfits: coalesce(misfits[1], list_any_value(misfits[3:]))
    )[1],
    _ranking_unread_column(rec, rec, names)
);
