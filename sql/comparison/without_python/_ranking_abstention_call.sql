-- Checks the arguments of a call of ranking.abstention.
CREATE OR REPLACE TEMP MACRO _ranking_abstention_call(
    caller, rec, truth, users, min_grade, confidence, COLUMN_ARGUMENTS) AS
struct_insert(
    _ranking_call(
        caller, rec := rec, truth := truth, measures := 'hits', user_col := user_col, item_col := item_col,
        score_col := score_col, grade_col := grade_col, system_col := system_col, descending := descending,
        min_grade := min_grade, users := users),
    alpha := CASE WHEN _ranking_compare_options(confidence, NULL, 'holm', 't', 1, 0, caller)
        THEN _ranking_alpha(confidence)::VARCHAR || '::DOUBLE' END);
