-- Internal: the error texts of columns of the history that are missing or do not fit truth's. Times need be there only
-- if they are named. Known when the query is planned.
--
-- truth, history: names of tables, as query_table takes them
-- names:          what _ranking_names gives
-- time_col:       what the column of times is called; NULL for time, if both tables have one
-- Returns:        VARCHAR[], NULL for a column that fits
-- Example:        SELECT _ranking_history_misfits(
--     'truth', 'train', _ranking_names('userid', 'itemid', 'score', NULL, NULL, true), NULL);
CREATE OR REPLACE TEMP MACRO _ranking_history_misfits(truth, history, names, time_col) AS
list_transform(
    [
        -- The argument, its text, and the type of the column in truth and in history.
        (
            'user_col', coalesce(names['user']::VARCHAR, 'userid'),
            _ranking_type(truth, names['user'], 'userid'), _ranking_type(history, names['user'], 'userid')
        ),
        (
            'item_col', coalesce(names['item']::VARCHAR, 'itemid'),
            _ranking_type(truth, names['item'], 'itemid'), _ranking_type(history, names['item'], 'itemid')
        ),
        (
            'time_col', coalesce(time_col::VARCHAR, 'time'),
            _ranking_type(truth, time_col, 'time'), _ranking_type(history, time_col, 'time')
        )
    ],
    lambda c: CASE
        WHEN c[1] = 'time_col' AND typeof(time_col) NOT IN ('VARCHAR', 'STRING_LITERAL', '"NULL"')
            THEN concat('time_col must be the name of a column, got ', _ranking_cut(c[2]))
        WHEN c[1] = 'time_col' AND (time_col::VARCHAR = '' OR (time_col IS NULL AND c[3] IS NULL AND c[4] IS NULL))
            THEN NULL
        WHEN c[1] = 'time_col' AND time_col IS NULL AND (c[3] IS NULL OR c[4] IS NULL)
            THEN concat(
                'truth or history without a column time, so its late events are not looked for, got ',
                CASE WHEN c[3] IS NULL THEN 'one in history' ELSE 'one in truth' END)
        WHEN c[4] IS NULL
            THEN concat(
                'history must have a column ', _ranking_cut(c[2]), ' (', c[1], '), got ',
                _ranking_columns(_ranking_column_texts(typeof((SELECT events FROM query_table(history) AS events WHERE false)))))
        WHEN c[1] = 'time_col' AND c[3] IS NULL
            THEN concat(
                'truth must have a column ', _ranking_cut(c[2]), ' (time_col), got ',
                _ranking_columns(_ranking_column_texts(typeof((SELECT truths FROM query_table(truth) AS truths WHERE false)))))
        WHEN c[1] = 'time_col'
            THEN CASE WHEN _ranking_time_kind(c[3]) = _ranking_time_kind(c[4]) THEN NULL ELSE concat(
                _ranking_cut(c[2]), ' must be integers, DATEs or TIMESTAMPs, of one kind in truth and in history, got ',
                _ranking_cut(c[3]), ' and ', _ranking_cut(c[4]))
            END
        WHEN NOT _ranking_same_type(c[3], c[4])
            THEN concat(
                _ranking_cut(c[2]), ' must have the same type in truth and in history, got ', _ranking_cut(c[3]), ' and ',
                _ranking_cut(c[4]))
    END
);
