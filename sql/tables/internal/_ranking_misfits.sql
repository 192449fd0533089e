-- Internal: the error texts of columns that are missing, misnamed or of an unfit type. All must be there but those of
-- grades and systems, unless they are named. Scores and grades must be numbers. An id must be of one family in both
-- tables, since an implicit cast would make ids equal that are not, or none equal at all. Known when the query is
-- planned. Ids are compared byte by byte, so that a collation is an error too.
--
-- rec, truth: names of tables, as query_table takes them
-- names:      what _ranking_names gives
-- Returns:    VARCHAR[]: what rec lacks, what truth lacks, and a text for each column, NULL where all is well
-- Example:    SELECT _ranking_misfits('rec', 'truth', _ranking_names('userid', 'itemid', 'score', NULL, NULL, true));
CREATE OR REPLACE TEMP MACRO _ranking_misfits(rec, truth, names) AS
list_transform(
    [[
        -- The argument, its type and text; the type of the column in rec and in truth: NULL where it is missing, nothing
        -- where it need not be there.
        (
            'user_col', typeof(names['user']), coalesce(names['user']::VARCHAR, 'userid'),
            _ranking_type(rec, names['user'], 'userid'), _ranking_type(truth, names['user'], 'userid')
        ),
        (
            'item_col', typeof(names['item']), coalesce(names['item']::VARCHAR, 'itemid'),
            _ranking_type(rec, names['item'], 'itemid'), _ranking_type(truth, names['item'], 'itemid')
        ),
        (
            'score_col', typeof(names['score']), coalesce(names['score']::VARCHAR, 'score'),
            _ranking_type(rec, names['score'], 'score'), coalesce(_ranking_type(truth, names['score'], 'score'), '')
        ),
        (
            'grade_col', typeof(names['grade']), coalesce(names['grade']::VARCHAR, 'rel'),
            '', coalesce(
                _ranking_type(truth, names['grade'], 'rel'),
                CASE WHEN coalesce(names['grade']::VARCHAR, '') = '' THEN '"NULL"' END)
        ),
        (
            'system_col', typeof(names['system']), names['system']::VARCHAR,
            CASE
                WHEN coalesce(names['system']::VARCHAR, '') = '' THEN ''
                ELSE _ranking_type(rec, names['system'], 'system')
            END, ''
        )
    ]],
    lambda columns: list_transform(
        [
            ('rec', _ranking_column_texts(typeof((SELECT recs FROM query_table(rec) AS recs WHERE false))), 4),
            ('truth', _ranking_column_texts(typeof((SELECT truths FROM query_table(truth) AS truths WHERE false))), 5)
        ],
        lambda source: list_transform(
            [list_transform(
                list_filter(
                    columns,
                    lambda c: CASE source[3] WHEN 4 THEN c[4] ELSE c[5] END IS NULL
                        AND c[2] IN ('VARCHAR', 'STRING_LITERAL', '"NULL"')),
                lambda c: {
                    'argument': c[1],
                    'name': c[3],
                    'near': _ranking_nearest_column(source[2], c[1]),
                    'is_elsewhere': CASE source[3] WHEN 4 THEN c[5] ELSE c[4] END NOT IN ('', '"NULL"')
                })],
            lambda missing: _ranking_missing_columns(source[1], source[2], missing)
        )[1]
    )
    || list_transform(columns, lambda c: CASE
        WHEN c[2] NOT IN ('VARCHAR', 'STRING_LITERAL', '"NULL"')
            THEN concat(c[1], ' must be the name of a column, got ', _ranking_cut(c[3]))
        WHEN c[4] IS NULL OR c[5] IS NULL THEN NULL
        WHEN c[1] IN ('user_col', 'item_col') AND NOT _ranking_same_type(c[4], c[5])
            THEN concat(
                _ranking_cut(c[3]), ' must have the same type in rec and in truth, got ', _ranking_cut(c[4]), ' and ',
                _ranking_cut(c[5]))
        WHEN c[1] = 'item_col' AND _ranking_cannot_match(c[4] || ',' || c[5])
            THEN concat(
                _ranking_cut(c[3]), ' must not be or hold an ARRAY or INTERVAL (cast it to a LIST or VARCHAR), got ',
                _ranking_cut(c[4]))
        WHEN (c[1] = 'score_col' AND NOT _ranking_is_number(c[4]))
            OR (c[1] = 'grade_col' AND NOT (c[5] = 'BOOLEAN' OR _ranking_is_number(c[5])))
            THEN concat(
                _ranking_cut(c[3]), ' must be a number',
                CASE WHEN CASE c[1] WHEN 'score_col' THEN c[4] ELSE c[5] END = 'BIGNUM' THEN ' (cast it to DOUBLE)' END,
                ', got ', _ranking_cut(CASE c[1] WHEN 'score_col' THEN c[4] ELSE c[5] END))
    END)
)[1]
|| [CASE WHEN typeof(names['descending']) <> 'BOOLEAN' OR names['descending'] IS NULL
    THEN 'descending must be true or false, got ' || _ranking_cut(names['descending']::VARCHAR)
END,
-- With another one, users would be equal that are not, and items not.
_ranking_collation_problem()];
