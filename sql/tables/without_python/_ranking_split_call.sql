-- Returns the arguments of ranking.split. `problem` reports invalid arguments, after problems of columns.
CREATE OR REPLACE TEMP MACRO _ranking_split_call(
    caller, events, test_from, test_size, folds, gap, last, cold_users, cold_items, seen, user_col, item_col, time_col) AS
list_transform(
    [{
        'user': coalesce(nullif(user_col::VARCHAR, ''), 'userid'), 'item': coalesce(nullif(item_col::VARCHAR, ''), 'itemid'),
        'time': coalesce(nullif(time_col::VARCHAR, ''), 'time'),
        'problem': list_any_value([
            _ranking_option(
                'folds', folds, 'an integer >= 1', _ranking_is_integer(typeof(folds)) AND TRY_CAST(folds AS BIGINT) >= 1),
            _ranking_option(
                'last', last, 'an integer >= 1',
                last IS NULL OR _ranking_is_integer(typeof(last)) AND TRY_CAST(last AS BIGINT) >= 1),
            CASE
                WHEN coalesce(test_from::VARCHAR, test_size::VARCHAR, last::VARCHAR) IS NULL
                    THEN 'test_from, test_size or last must say what the test is, got none of them'
                WHEN last IS NOT NULL AND coalesce(test_from::VARCHAR, test_size::VARCHAR, gap::VARCHAR) IS NOT NULL
                    THEN 'last must stand without test_from, test_size and gap, got '
                        || coalesce(test_from::VARCHAR, test_size::VARCHAR, gap::VARCHAR)
                WHEN last IS NULL AND test_size IS NULL AND TRY_CAST(folds AS BIGINT) > 1
                    THEN 'folds must be 1 without test_size, which says how long each test is, got ' || folds::VARCHAR
            END,
            _ranking_option('cold_users', cold_users, 'keep|drop', cold_users::VARCHAR IN ('keep', 'drop')),
            _ranking_option('cold_items', cold_items, 'keep|drop', cold_items::VARCHAR IN ('keep', 'drop')),
            _ranking_option('seen', seen, 'keep|drop', seen::VARCHAR IN ('keep', 'drop'))])}],
    lambda _ranking_given: {
        'caller': caller::VARCHAR, 'events': _ranking_own_table('events', events, caller),
        'user': _ranking_given['user'], 'item': _ranking_given['item'], 'time': _ranking_given['time'],
        'event_columns': _ranking_nulls([_ranking_given['user'], _ranking_given['item'], _ranking_given['time']]),
        'has_problem': _ranking_given['problem'] IS NOT NULL, 'problem': _ranking_given['problem'],
        'column_problem': _ranking_sql(
            '_ranking_split_misfit({events}, {test_from}, {test_size}, {gap}, {user_col}, {item_col}, {time_col})'),
        'reused': CASE WHEN starts_with(version(), 'v1.5') THEN 'MATERIALIZED' ELSE 'NOT MATERIALIZED' END,
        'has_last': last IS NOT NULL, 'has_step': coalesce(last::VARCHAR, test_size::VARCHAR) IS NOT NULL,
        'has_window': test_from IS NOT NULL AND test_size IS NOT NULL,
        'folds': coalesce(TRY_CAST(folds AS BIGINT), 1)::VARCHAR, 'test_from': _ranking_as_text(test_from),
        'step': CASE WHEN last IS NULL THEN _ranking_span(test_size) ELSE _ranking_span(last) END,
        'is_step_interval': last IS NULL AND typeof(test_size) = 'INTERVAL',
        'gap': _ranking_span(gap), 'is_gap_interval': typeof(gap) = 'INTERVAL',
        'late': coalesce(
            'test_from must not be after the last event, got ' || test_from::VARCHAR,
            'test_size must reach back to the last event, got ' || test_size::VARCHAR),
        'drops_cold_users': coalesce(cold_users::VARCHAR = 'drop', false),
        'drops_cold_items': coalesce(cold_items::VARCHAR = 'drop', false),
        'drops_seen': coalesce(seen::VARCHAR = 'drop', false)})[1];

-- Returns a span of time as SQL; no span is 0.
CREATE OR REPLACE TEMP MACRO _ranking_span(span) AS
CASE
    WHEN typeof(span) = 'INTERVAL' THEN coalesce(_ranking_as_text(span), '0')
    ELSE concat(coalesce(TRY_CAST(span AS BIGINT), 0), '::BIGINT')
END;

-- Returns the error for an unsuitable column of events, or for an argument whose type does not match time; NULL if there is
-- none.
CREATE OR REPLACE TEMP MACRO _ranking_split_misfit(events, test_from, test_size, gap, user_col, item_col, time_col) AS
coalesce(
    list_any_value(list_transform(
        [
            ('user_col', typeof(user_col), coalesce(user_col::VARCHAR, 'userid'), _ranking_type(events, user_col, 'userid')),
            ('item_col', typeof(item_col), coalesce(item_col::VARCHAR, 'itemid'), _ranking_type(events, item_col, 'itemid')),
            ('time_col', typeof(time_col), coalesce(time_col::VARCHAR, 'time'), _ranking_type(events, time_col, 'time'))
        ],
        lambda c: coalesce(_ranking_name_problem(c[1], c[2], c[3]), CASE
            WHEN c[4] IS NULL THEN _ranking_no_column('events', c[3], c[1], _ranking_texts_of(events))
            WHEN c[1] = 'time_col' THEN _ranking_split_time_problem(c[3], c[4], test_from, test_size, gap)
        END))),
    'events must have no column fold, part or dropped (rename it), got ' || _ranking_joined(
        regexp_extract_all(_ranking_texts_of(events), '(?i), "?(fold|part|dropped)"? ', 1), ', '));

-- Returns the error for a column of times, or for an argument whose type does not match it; NULL if there is none.
CREATE OR REPLACE TEMP MACRO _ranking_split_time_problem(name, type, test_from, test_size, gap) AS
CASE
    WHEN _ranking_time_kind(type) IS NULL
        THEN concat(_ranking_cut(name), ' must be an integer, DATE or TIMESTAMP (cast it), got ', _ranking_cut(type))
    WHEN test_from IS NOT NULL AND _ranking_time_kind(typeof(test_from)) IS DISTINCT FROM _ranking_time_kind(type)
        THEN concat(
            'test_from must be ', _ranking_time_kind(type), ', as ', _ranking_cut(name), ' is, got ',
            _ranking_cut(typeof(test_from)))
    ELSE coalesce(
        _ranking_span_problem('test_size', test_size, _ranking_time_kind(type), 1),
        _ranking_span_problem('gap', gap, _ranking_time_kind(type), 0))
END;

-- Returns the error for an invalid span of time; NULL if there is none.
CREATE OR REPLACE TEMP MACRO _ranking_span_problem(argument, span, kind, least) AS
CASE
    WHEN kind = 'an integer' AND NOT _ranking_is_integer(typeof(span))
        THEN _ranking_option(argument, span, 'an integer, for a time that is one', span IS NULL)
    WHEN kind <> 'an integer' AND typeof(span) <> 'INTERVAL'
        THEN _ranking_option(argument, span, 'an INTERVAL, for a time that is ' || kind, span IS NULL)
    WHEN TRY_CAST(span AS BIGINT) < least OR TRY_CAST(span AS INTERVAL) < least * INTERVAL 1 MICROSECOND
        THEN _ranking_option(argument, span, CASE least WHEN 0 THEN '0 or more' ELSE 'above 0' END, false)
END;
