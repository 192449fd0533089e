-- Returns the checked arguments of a function that reads no truth.
CREATE OR REPLACE TEMP MACRO _ranking_rec_call(caller, rec, ks, REC_COLUMN_ARGUMENTS) AS
struct_insert(
    _ranking_call(
        caller, rec := rec, ks := ks, measures := 'hits', user_col := user_col, item_col := item_col, score_col := score_col,
        grade_col := '', system_col := system_col, descending := descending),
    rec_problem := _ranking_sql('_ranking_rec_misfit({rec}, REC_COLUMNS_AS_TEXTS)'));

-- Returns the error for columns of rec if there is no truth; NULL if there is none.
CREATE OR REPLACE TEMP MACRO _ranking_rec_misfit(rec, COLUMN_NAMES) AS
coalesce(
    -- rec is passed as truth too: any problem of truth is already reported for rec.
    list_transform(
        [_ranking_misfits(rec, rec, COLUMN_NAMES)], lambda misfits: coalesce(misfits[1], list_any_value(misfits[3:])))[1],
    _ranking_unread_column(rec, rec, COLUMN_NAMES));
