-- Returns the checked arguments of ranking.explain.
CREATE OR REPLACE TEMP MACRO _ranking_explain_call(caller, rec, truth, k, ties, COLUMN_ARGUMENTS, min_grade := NULL) AS
struct_insert(
    _ranking_call(
        caller, rec := rec, truth := truth, ks := [NULL], measures := 'ndcg', ties := ties, user_col := user_col,
        item_col := item_col, score_col := score_col, grade_col := grade_col, system_col := system_col,
        descending := descending, min_grade := min_grade),
    k := CASE
        WHEN _ranking_no_problem(caller, _ranking_k_problem(k)) AND _ranking_ties_choice(ties, true, NULL, true, caller)
            THEN coalesce(_ranking_cut_off(k, NULL)::VARCHAR, 'NULL')
    END);
