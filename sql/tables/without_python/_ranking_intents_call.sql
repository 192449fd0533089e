-- Returns the checked arguments of ranking.intents_by_user.
CREATE OR REPLACE TEMP MACRO _ranking_intents_call(caller, rec, truth, ks, alpha, intent_col, COLUMN_ARGUMENTS) AS
list_transform(
    [_ranking_call(caller, rec, truth, ks, NULL, 'ndcg', NULL, 'item', 'k', COLUMN_NAMES)],
    lambda _ranking_judged_call: struct_insert(
        _ranking_judged_call,
        alpha := CASE
            WHEN _ranking_no_problem(caller, coalesce(
                _ranking_option('alpha', alpha, 'a number from 0 to 1', TRY_CAST(alpha AS DOUBLE) BETWEEN 0 AND 1),
                _ranking_name_problem('intent_col', typeof(intent_col), intent_col::VARCHAR)))
                THEN TRY_CAST(alpha AS DOUBLE)::VARCHAR || '::DOUBLE'
        END,
        intent := coalesce(intent_col::VARCHAR, 'intent'),
        columns_of_truth := concat(
            _ranking_judged_call['truth_columns'], ', NULL AS ', _ranking_identifier(coalesce(intent_col::VARCHAR, 'intent'))),
        problem := concat(
            'coalesce(', _ranking_judged_call['column_problem'], ', ',
            _ranking_sql('_ranking_intent_problem({truth}, {intent_col})'), ')')))[1];

-- Returns the error for intents that are missing from truth or in a LIST; NULL if there is none.
CREATE OR REPLACE TEMP MACRO _ranking_intent_problem(truth, intent_col) AS
CASE
    WHEN _ranking_type(truth, intent_col, 'intent') IS NULL
        THEN list_transform(
            [_ranking_texts_of(truth)],
            lambda texts: _ranking_missing_columns('truth', texts, [{
                'argument': 'intent_col',
                'name': coalesce(intent_col::VARCHAR, 'intent'),
                'near': _ranking_nearest_column(texts, 'intent_col'),
                'is_elsewhere': false}], NULL))[1]
    WHEN ends_with(_ranking_type(truth, intent_col, 'intent'), ']')
        THEN concat(
            'an item of several intents wants a row for each (SELECT * REPLACE (unnest(',
            coalesce(intent_col, 'intent'), ') AS ', coalesce(intent_col, 'intent'), ')), got ',
            _ranking_cut(_ranking_type(truth, intent_col, 'intent')))
END;
