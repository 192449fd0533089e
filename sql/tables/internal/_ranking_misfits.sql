-- Internal: what is wrong with the columns and their names. All must be there but those of grades and systems, unless
-- they are named. Scores and grades must be numbers. An id must be of one family in both tables, since an implicit cast
-- would make ids equal that are not, or none equal at all. Known when the query is planned.
--
-- rec, truth: names of tables, as query_table takes them
-- names:      what _ranking_names gives
-- Returns:    VARCHAR[], NULL for a column that fits
-- Example:    SELECT _ranking_misfits('rec', 'truth', _ranking_names('userid', 'itemid', 'score', NULL, NULL, true));
CREATE OR REPLACE TEMP MACRO _ranking_misfits(rec, truth, names) AS
list_transform(
    [
        -- The argument, its type and text; whether such a column is in rec and in truth, or need not be; its types there.
        (
            'user_col', typeof(names['user']), coalesce(names['user']::VARCHAR, 'userid'),
            _ranking_has(rec, names['user'], 'userid'), _ranking_has(truth, names['user'], 'userid'),
            _ranking_type(rec, names['user'], 'userid'), _ranking_type(truth, names['user'], 'userid')
        ),
        (
            'item_col', typeof(names['item']), coalesce(names['item']::VARCHAR, 'itemid'),
            _ranking_has(rec, names['item'], 'itemid'), _ranking_has(truth, names['item'], 'itemid'),
            _ranking_type(rec, names['item'], 'itemid'), _ranking_type(truth, names['item'], 'itemid')
        ),
        (
            'score_col', typeof(names['score']), coalesce(names['score']::VARCHAR, 'score'),
            _ranking_has(rec, names['score'], 'score'), true,
            _ranking_type(rec, names['score'], 'score'), _ranking_type(truth, names['score'], 'score')
        ),
        (
            'grade_col', typeof(names['grade']), coalesce(names['grade']::VARCHAR, 'rel'),
            true, names['grade'] IS NULL OR _ranking_has(truth, names['grade'], 'rel'),
            NULL, _ranking_type(truth, names['grade'], 'rel')
        ),
        (
            'system_col', typeof(names['system']), names['system']::VARCHAR,
            names['system'] IS NULL OR _ranking_has(rec, names['system'], 'system'), true,
            NULL, NULL
        )
    ],
    lambda c: CASE
        WHEN c[2] NOT IN ('VARCHAR', 'STRING_LITERAL', '"NULL"')
            THEN concat(c[1], ' must be the name of a column, got ', _ranking_cut(c[3]))
        WHEN NOT (c[4] AND c[5])
            THEN concat(
                CASE WHEN c[4] THEN 'truth' ELSE 'rec' END, ' must have a column ', _ranking_cut(c[3]), ' (', c[1], '), got ',
                _ranking_columns(CASE
                    WHEN c[4] THEN typeof((SELECT truths FROM query_table(truth) AS truths WHERE false))
                    ELSE typeof((SELECT recs FROM query_table(rec) AS recs WHERE false))
                END),
                CASE WHEN c[1] = 'score_col' AND c[7] <> '"NULL"' THEN '; truth has one' END)
        WHEN c[1] IN ('user_col', 'item_col') AND NOT _ranking_same_type(c[6], c[7])
            THEN concat(
                _ranking_cut(c[3]), ' must have the same type in rec and in truth, got ', _ranking_cut(c[6]), ' and ',
                _ranking_cut(c[7]))
        WHEN c[1] = 'item_col' AND _ranking_cannot_match(concat_ws(',', c[6], c[7]))
            THEN concat(
                _ranking_cut(c[3]), ' must not be or hold an ARRAY or INTERVAL (cast it to a LIST or VARCHAR), got ',
                _ranking_cut(c[6]))
        WHEN c[1] IN ('score_col', 'grade_col') AND NOT (
            _ranking_is_number(CASE c[1] WHEN 'score_col' THEN c[6] ELSE c[7] END)
            OR (c[1] = 'grade_col' AND c[7] = 'BOOLEAN')
        )
            THEN concat(
                _ranking_cut(c[3]), ' must be a number',
                CASE WHEN c[6] = 'BIGNUM' OR (c[1] = 'grade_col' AND c[7] = 'BIGNUM') THEN ' (cast it to DOUBLE)' END,
                ', got ', _ranking_cut(CASE c[1] WHEN 'score_col' THEN c[6] ELSE c[7] END))
    END
)
|| [CASE WHEN typeof(names['descending']) <> 'BOOLEAN' OR names['descending'] IS NULL
    THEN 'descending must be true or false, got ' || _ranking_cut(names['descending']::VARCHAR)
END];
