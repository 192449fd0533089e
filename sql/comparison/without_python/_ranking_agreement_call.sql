-- Checks the arguments of a call of ranking.agreement.
CREATE OR REPLACE TEMP MACRO _ranking_agreement_call(
    caller, labels_a, labels_b, confidence, user_col, item_col, grade_col) AS
list_transform(
    [{
        'user': coalesce(user_col::VARCHAR, 'userid'), 'item': coalesce(item_col::VARCHAR, 'itemid'),
        'grade': coalesce(grade_col::VARCHAR, 'rel'),
        'is_right': _ranking_compare_options(confidence, NULL, 'holm', 't', 1, 0, caller) AND _ranking_no_problem(
            caller, coalesce(
            _ranking_name_problem('user_col', typeof(user_col), user_col::VARCHAR),
            _ranking_name_problem('item_col', typeof(item_col), item_col::VARCHAR),
            _ranking_name_problem('grade_col', typeof(grade_col), grade_col::VARCHAR)))}],
    lambda _ranking_names: {
        'caller': caller::VARCHAR,
        'labels_a': _ranking_own_table('labels_a', labels_a, caller),
        'labels_b': _ranking_own_table('labels_b', labels_b, caller),
        'user': _ranking_names['user'], 'item': _ranking_names['item'], 'grade': _ranking_names['grade'],
        'label_columns': _ranking_nulls([_ranking_names['user'], _ranking_names['item'], _ranking_names['grade']]),
        'alpha': CASE WHEN _ranking_names['is_right'] THEN _ranking_alpha(confidence)::VARCHAR || '::DOUBLE' END})[1];
