-- Internal: the error text of a column or argument of ranking_split that does not fit; NULL for none. Known when the
-- query is planned.
--
-- events, ..., time_col: as for ranking_split
-- Returns: VARCHAR
-- Example: SELECT _ranking_split_misfit(
--     'events', NULL, INTERVAL 7 DAY, 4, NULL, NULL, 'keep', 'keep', 'keep', 'userid', 'itemid', 'time');
CREATE OR REPLACE TEMP MACRO _ranking_split_misfit(
    events, test_from, test_size, folds, gap, last, cold_users, cold_items, seen, user_col, item_col, time_col
) AS
list_any_value(
    list_transform(
        [
            ('user_col', typeof(user_col), coalesce(user_col::VARCHAR, 'userid'), _ranking_type(events, user_col, 'userid')),
            ('item_col', typeof(item_col), coalesce(item_col::VARCHAR, 'itemid'), _ranking_type(events, item_col, 'itemid')),
            ('time_col', typeof(time_col), coalesce(time_col::VARCHAR, 'time'), _ranking_type(events, time_col, 'time'))
        ],
        lambda c: CASE
            WHEN c[2] NOT IN ('VARCHAR', 'STRING_LITERAL', '"NULL"')
                THEN concat(c[1], ' must be the name of a column, got ', _ranking_cut(c[3]))
            WHEN c[4] IS NULL
                THEN concat(
                    'events must have a column ', _ranking_cut(c[3]), ' (', c[1], '), got ',
                    _ranking_columns(_ranking_column_texts(typeof((SELECT rows FROM query_table(events) AS rows WHERE false)))))
            WHEN c[1] = 'time_col'
                THEN CASE
                    WHEN _ranking_time_kind(c[4]) IS NULL
                        THEN concat(
                            _ranking_cut(c[3]), ' must be an integer, DATE or TIMESTAMP (cast it), got ', _ranking_cut(c[4]))
                    WHEN test_from IS NOT NULL
                        AND _ranking_time_kind(typeof(test_from)) IS DISTINCT FROM _ranking_time_kind(c[4])
                        THEN concat(
                            'test_from must be ', _ranking_time_kind(c[4]), ', as ', _ranking_cut(c[3]), ' is, got ',
                            _ranking_cut(typeof(test_from)))
                    ELSE coalesce(
                        _ranking_option(
                            'test_size', test_size, _ranking_span_rule(test_size, _ranking_time_kind(c[4]), 1),
                            _ranking_span_rule(test_size, _ranking_time_kind(c[4]), 1) IS NULL),
                        _ranking_option(
                            'gap', gap, _ranking_span_rule(gap, _ranking_time_kind(c[4]), 0),
                            _ranking_span_rule(gap, _ranking_time_kind(c[4]), 0) IS NULL))
                END
        END
    )
    || list_transform(
        [_ranking_columns(_ranking_column_texts(typeof((
            SELECT taken
            FROM (
                SELECT COLUMNS('(?i)^(?:ranking_absent|fold|part|dropped)$')
                FROM (SELECT NULL AS ranking_absent, * FROM query_table(events) AS rows)
            ) AS taken
            WHERE false
        ))))],
        lambda taken: CASE WHEN taken <> 'ranking_absent'
            THEN 'events must have no column fold, part or dropped (rename it), got '
                || replace(taken, 'ranking_absent, ', '')
        END
    )
    || [
        _ranking_collation_problem(),
        _ranking_option(
            'folds', folds, 'an integer >= 1',
            coalesce(_ranking_is_integer(typeof(folds)) AND TRY_CAST(folds AS BIGINT) >= 1, false)),
        _ranking_option(
            'last', last, 'an integer >= 1',
            last IS NULL OR coalesce(_ranking_is_integer(typeof(last)) AND TRY_CAST(last AS BIGINT) >= 1, false)),
        CASE
            WHEN coalesce(test_from::VARCHAR, test_size::VARCHAR, last::VARCHAR) IS NULL
                THEN 'test_from, test_size or last must say what the test is, got none of them'
            WHEN last IS NOT NULL AND coalesce(test_from::VARCHAR, test_size::VARCHAR, gap::VARCHAR) IS NOT NULL
                THEN 'last must stand without test_from, test_size and gap, got '
                    || coalesce(test_from::VARCHAR, test_size::VARCHAR, gap::VARCHAR)
            WHEN last IS NULL AND test_size IS NULL AND TRY_CAST(folds AS BIGINT) > 1
                THEN 'folds must be 1 without test_size, which says how long each test is, got ' || folds::VARCHAR
        END
    ]
    || list_transform(
        [('cold_users', cold_users::VARCHAR), ('cold_items', cold_items::VARCHAR), ('seen', seen::VARCHAR)],
        lambda choice: CASE WHEN choice[2] IS NULL OR choice[2] NOT IN ('keep', 'drop')
            THEN concat(choice[1], ' must be keep or drop, got ', coalesce(_ranking_cut(choice[2]), 'NULL'))
        END
    )
);
