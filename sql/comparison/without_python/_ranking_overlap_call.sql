-- Checks the arguments of a call of ranking.overlap or ranking.overlap_by_user.
CREATE OR REPLACE TEMP MACRO _ranking_overlap_call(
    caller, rec, ks, baseline, persistence, REC_COLUMN_ARGUMENTS) AS
struct_insert(
    _ranking_rec_call(
        caller, rec, ks, user_col := user_col, item_col := item_col, score_col := score_col, system_col := system_col,
        descending := descending),
    baseline := baseline::VARCHAR, has_baseline := baseline IS NOT NULL, baseline_in_errors := _ranking_list_names([baseline]),
    weight := CASE WHEN _ranking_no_problem(caller, _ranking_option(
        'persistence', persistence, 'a number > 0 and <= 1',
        TRY_CAST(persistence AS DOUBLE) > 0 AND TRY_CAST(persistence AS DOUBLE) <= 1))
        THEN TRY_CAST(persistence AS DOUBLE)::VARCHAR || '::DOUBLE' END);
