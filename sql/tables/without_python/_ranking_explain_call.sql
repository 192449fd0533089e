-- A call of ranking.explain, its arguments checked.
CREATE OR REPLACE TEMP MACRO _ranking_explain_call(caller, rec, truth, k, ties, COLUMN_ARGUMENTS, min_grade := NULL) AS
struct_insert(
    _ranking_call(caller, rec, truth, [NULL], NULL, 'ndcg', NULL, ties, 'k', COLUMN_NAMES, min_grade),
    k := CASE
        WHEN _ranking_no_problem(caller, _ranking_k_problem(k)) AND _ranking_ties_choice(ties, true, NULL, true, caller)
            THEN coalesce(_ranking_cut_off(k, NULL)::VARCHAR, 'NULL')
    END);
