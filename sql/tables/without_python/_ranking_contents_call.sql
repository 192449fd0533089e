-- Returns the checked arguments of ranking.beyond_accuracy or ranking.beyond_accuracy_by_user.
CREATE OR REPLACE TEMP MACRO _ranking_contents_call(
    caller, rec, ks, history, items, head, divergence, category_col, REC_COLUMN_ARGUMENTS) AS
struct_insert(
    _ranking_rec_call(
        caller, rec, ks, user_col := user_col, item_col := item_col, score_col := score_col, system_col := system_col,
        descending := descending),
    history := _ranking_own_table('history', history, caller), has_history := history IS NOT NULL,
    items := _ranking_own_table('items', items, caller), has_items := items IS NOT NULL,
    has_catalog := coalesce(history, items) IS NOT NULL,
    category := coalesce(category_col::VARCHAR, 'category'),
    history_columns := _ranking_nulls([coalesce(user_col::VARCHAR, 'userid'), coalesce(item_col::VARCHAR, 'itemid')]),
    items_columns := _ranking_nulls([coalesce(item_col::VARCHAR, 'itemid'), coalesce(category_col::VARCHAR, 'category')]),
    head := CASE WHEN _ranking_no_problem(caller, _ranking_option(
        'head', head, 'a number from 0 to 1',
        _ranking_is_number(typeof(head)) AND TRY_CAST(head AS DOUBLE) BETWEEN 0 AND 1)) THEN _ranking_as_text(head) END,
    divergence := CASE WHEN _ranking_no_problem(
        caller, _ranking_option('divergence', divergence, 'js|kl', divergence::VARCHAR IN ('js', 'kl')))
        THEN divergence::VARCHAR END,
    contents_problem := _ranking_sql(
        '_ranking_contents_misfit({rec}, {history}, {items}, REC_COLUMNS_AS_TEXTS, {category_col})'));

-- Returns the error for an unsuitable column of ranking.beyond_accuracy; NULL if there is none.
CREATE OR REPLACE TEMP MACRO _ranking_contents_misfit(rec, history, items, COLUMN_NAMES, category_col) AS
list_any_value(
    [_ranking_rec_misfit(rec, COLUMN_NAMES)]
    || list_transform(
        [
            -- The table, whether it exists, the argument, the column, its type, and the type in rec (NULL: any type).
            ('history', history IS NOT NULL, 'user_col', coalesce(user_col::VARCHAR, 'userid'),
                _ranking_type(_ranking_table('history', coalesce(history, rec)), user_col, 'userid'),
                _ranking_type(rec, user_col, 'userid')),
            ('history', history IS NOT NULL, 'item_col', coalesce(item_col::VARCHAR, 'itemid'),
                _ranking_type(_ranking_table('history', coalesce(history, rec)), item_col, 'itemid'),
                _ranking_type(rec, item_col, 'itemid')),
            ('items', items IS NOT NULL, 'item_col', coalesce(item_col::VARCHAR, 'itemid'),
                _ranking_type(_ranking_table('items', coalesce(items, rec)), item_col, 'itemid'),
                _ranking_type(rec, item_col, 'itemid')),
            ('items', items IS NOT NULL, 'category_col', coalesce(category_col::VARCHAR, 'category'),
                _ranking_type(_ranking_table('items', coalesce(items, rec)), category_col, 'category'), NULL)],
        lambda c: CASE
            WHEN NOT c[2] THEN NULL
            WHEN c[3] = 'category_col' AND _ranking_name_problem(c[3], typeof(category_col), c[4]) IS NOT NULL
                THEN _ranking_name_problem(c[3], typeof(category_col), c[4])
            WHEN c[5] IS NULL
                THEN list_transform(
                    [CASE c[1]
                        WHEN 'history' THEN _ranking_texts_of(coalesce(history, rec))
                        ELSE _ranking_texts_of(coalesce(items, rec))
                    END],
                    lambda texts: _ranking_missing_columns(c[1], texts, [{
                        'argument': c[3],
                        'name': c[4],
                        'near': _ranking_nearest_column(texts, c[3]),
                        'is_elsewhere': c[3] <> 'category_col'}], NULL))[1]
            ELSE _ranking_type_problem(c[4], 'rec and in ' || c[1], c[6], c[5])
        END));
