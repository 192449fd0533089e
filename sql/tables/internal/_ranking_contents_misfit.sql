-- Internal: the error text of a column or argument of ranking_beyond_accuracy that does not fit; NULL for none. Known when
-- the query is planned.
--
-- rec, history, items, head, divergence, category_col: as for ranking_beyond_accuracy
-- names:   what _ranking_names gives, with '' for grades
-- Returns: VARCHAR
-- Example: SELECT _ranking_contents_misfit(
--     'rec', 'train', NULL, _ranking_names('userid', 'itemid', 'score', '', NULL, true), 0.8, 'js', NULL);
CREATE OR REPLACE TEMP MACRO _ranking_contents_misfit(rec, history, items, names, head, divergence, category_col) AS
list_any_value(
    [_ranking_rec_misfit(rec, names)]
    || list_transform(
        [
            -- The table, whether it is there, the argument, the column, its type, and that in rec (NULL: any will do).
            (
                'history', history IS NOT NULL, 'user_col', coalesce(names['user']::VARCHAR, 'userid'),
                _ranking_type(_ranking_table('history', coalesce(history, rec)), names['user'], 'userid'),
                _ranking_type(rec, names['user'], 'userid')
            ),
            (
                'history', history IS NOT NULL, 'item_col', coalesce(names['item']::VARCHAR, 'itemid'),
                _ranking_type(_ranking_table('history', coalesce(history, rec)), names['item'], 'itemid'),
                _ranking_type(rec, names['item'], 'itemid')
            ),
            (
                'items', items IS NOT NULL, 'item_col', coalesce(names['item']::VARCHAR, 'itemid'),
                _ranking_type(_ranking_table('items', coalesce(items, rec)), names['item'], 'itemid'),
                _ranking_type(rec, names['item'], 'itemid')
            ),
            (
                'items', items IS NOT NULL, 'category_col', coalesce(category_col::VARCHAR, 'category'),
                _ranking_type(_ranking_table('items', coalesce(items, rec)), category_col, 'category'), NULL
            )
        ],
        lambda c: CASE
            WHEN NOT c[2] THEN NULL
            WHEN c[3] = 'category_col' AND typeof(category_col) NOT IN ('VARCHAR', 'STRING_LITERAL', '"NULL"')
                THEN concat('category_col must be the name of a column, got ', _ranking_cut(c[4]))
            WHEN c[5] IS NULL
                THEN list_transform(
                    [_ranking_column_texts(CASE c[1]
                        WHEN 'history' THEN typeof((SELECT rows FROM query_table(coalesce(history, rec)) AS rows WHERE false))
                        ELSE typeof((SELECT rows FROM query_table(coalesce(items, rec)) AS rows WHERE false))
                    END)],
                    lambda texts: _ranking_missing_columns(c[1], texts, [{
                        'argument': c[3],
                        'name': c[4],
                        'near': _ranking_nearest_column(texts, c[3]),
                        'is_elsewhere': c[3] <> 'category_col'
                    }])
                )[1]
            WHEN NOT _ranking_same_type(c[5], c[6])
                THEN concat(
                    _ranking_cut(c[4]), ' must have the same type in rec and in ', c[1], ', got ', _ranking_cut(c[6]), ' and ',
                    _ranking_cut(c[5]))
        END
    )
    || [
        _ranking_option(
            'head', head, 'a number from 0 to 1',
            coalesce(_ranking_is_number(typeof(head)) AND TRY_CAST(head AS DOUBLE) BETWEEN 0 AND 1, false)),
        _ranking_option(
            'divergence', divergence, 'js|kl', coalesce(divergence::VARCHAR IN ('js', 'kl'), false))
    ]
);
