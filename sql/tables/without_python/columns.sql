-- Returns the columns of a table as one string, each between a comma and space and a comma, with types that contain no other
-- type: a STRUCT or an ENUM is only that word.
CREATE OR REPLACE TEMP MACRO _ranking_column_texts(type) AS
concat(
    ', ',
    replace(
        regexp_replace(
            regexp_replace(type, '^\w+\(|\)$', '', 'g'),
            '\((?:[^()]|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))*\)', '', 'g'),
        ', ', ',, '),
    ',');

-- Returns true for a column that is not a measure, in a table with a row per user.
CREATE OR REPLACE TEMP MACRO _ranking_is_key(name) AS
lower(name) IN KEY_COLUMNS;

-- DuckDB knows the columns of a table and their types when it plans the query. The test costs nothing, and the planner drops
-- branches that depend on it.

-- Returns true if a table has a column, of any type.
CREATE OR REPLACE TEMP MACRO _ranking_has(source, named, otherwise) AS
typeof((
    SELECT row(*COLUMNS(_ranking_column(named, otherwise)))
    FROM (SELECT NULL AS ranking_absent, * FROM query_table(source) AS sources)
    WHERE false
)) NOT IN ('TUPLE("NULL")', 'STRUCT("NULL")');

-- Returns the SELECT that reads BEIR's columns, or a list of items by user; NULL for other tables. A column is a name and a
-- type.
CREATE OR REPLACE TEMP MACRO _ranking_select_advice(source, texts, missing, columns) AS
list_transform(
    [{
        'arguments': list_transform(missing, lambda c: c.argument),
        'of_user': coalesce(list_filter(missing, lambda c: c.argument = 'user_col')[1].near, columns[1][3]),
        'of_item': coalesce(list_filter(missing, lambda c: c.argument = 'item_col')[1].near, columns[2][3]),
        'lists': regexp_extract_all(texts, ', ("(?:[^"]|"")*"|[^ ]+) [^,]*\[\],', 1),
        'user': _ranking_quoted(columns[1][3]),
        'item': _ranking_quoted(columns[2][3]),
        'score': _ranking_quoted(columns[3][3]),
        'grade': columns[4][3]}],
    lambda given: list_transform(
        [CASE
            WHEN given.of_item <> ''
                THEN list_filter(given.lists, lambda name: name IN (given.of_item, concat('"', given.of_item, '"')))[1]
            WHEN len(given.lists) = 1 THEN given.lists[1]
        END],
        lambda list_column: CASE
            WHEN given.arguments = ['user_col', 'item_col'] AND regexp_matches(texts, '(?i), "query-id" ')
                AND regexp_matches(texts, '(?i), "corpus-id" ') AND regexp_matches(texts, '(?i), "?score"? ')
                THEN concat(
                    'SELECT "query-id" AS ', given.user, ', "corpus-id" AS ', given.item,
                    CASE
                        WHEN source = 'rec' THEN ', ' || given.score
                        WHEN given.grade = 'rel' THEN ', score AS rel'
                        WHEN given.grade <> '' THEN ', ' || _ranking_quoted(given.grade)
                    END)
            WHEN list_contains(given.arguments, CASE source WHEN 'rec' THEN 'score_col' ELSE 'item_col' END)
                AND list_has_all(['user_col', 'item_col', 'score_col'], given.arguments)
                AND given.of_user <> '' AND list_column IS NOT NULL
                AND (source = 'truth' OR _ranking_nearest_column(
                    replace(texts, concat(', ', list_column, ' '), ', '), 'score_col') = '')
                THEN concat(
                    'SELECT ', _ranking_quoted(given.of_user),
                    CASE WHEN list_contains(given.arguments, 'user_col') THEN ' AS ' || given.user END,
                    ', unnest(', list_column,
                    CASE
                        WHEN strpos(texts, concat(', ', list_column, ' STRUCT')) > 0 THEN ', max_depth := 2)'
                        ELSE concat(
                            ') AS ', given.item,
                            CASE WHEN source = 'rec'
                                THEN concat(', -generate_subscripts(', list_column, ', 1) AS ', given.score)
                            END)
                    END)
        END)[1])[1];

-- Returns a name for advice, in quotes if SQL requires them.
CREATE OR REPLACE TEMP MACRO _ranking_quoted(name) AS
regexp_replace(name, '^(.*\W.*)$', '"\1"');

-- Returns one error for all columns that a table lacks, with `advice` if there is any.
CREATE OR REPLACE TEMP MACRO _ranking_missing_columns(name, texts, missing, advice) AS
name || ' must have '
|| _ranking_joined(list_transform(missing, lambda c: concat('a column ', _ranking_cut(c.name), ' (', c.argument, ')')), ' and ')
|| ', got ' || _ranking_columns(texts) || '; write '
|| coalesce(advice, concat_ws(
    ', ',
    -- Columns that must have the same name in both tables.
    'SELECT * RENAME (' || _ranking_joined(
        list_transform(
            list_filter(missing, lambda c: coalesce(c.is_elsewhere, false) AND c.argument <> 'score_col'),
            lambda c: concat_ws(
                ' AS ',
                coalesce(_ranking_quoted(nullif(c.near, '')), '...'),
                _ranking_quoted(c.name))),
        ', ') || ')',
    _ranking_joined(
        list_transform(
            list_filter(missing, lambda c: NOT coalesce(c.is_elsewhere, false) OR c.argument = 'score_col'),
            lambda c: concat(
                c.argument, ' := ''', coalesce(nullif(c.near, ''), '...'), '''',
                CASE WHEN regexp_matches(c.near, '(?i)^(rank|pos|place)') THEN ', descending := false' END)),
        ', ')
    -- A log of lists is not a truth.
    || CASE WHEN len(missing) = 1 AND missing[1].argument = 'score_col' AND missing[1].is_elsewhere AND strpos(texts, ']') = 0
        THEN ' (or swap rec and truth: truth has one)' ELSE '' END));

-- Returns the column that is probably meant if one is missing, by names that such columns often have.
CREATE OR REPLACE TEMP MACRO _ranking_nearest_column(texts, argument) AS
regexp_extract(texts, CASE argument NEAR_COLUMNS END, 1);

-- Returns the unread columns that would change every result: systems and runs in rec, grades in truth. NULL if the caller
-- names the column to read, or a column has the usual name.
CREATE OR REPLACE TEMP MACRO _ranking_unread_columns(rec, truth, COLUMN_NAMES) AS
list_transform(
    -- In stages, since DuckDB plans each regular expression once per reference.
    [{'rec': _ranking_texts_of(rec), 'truth': _ranking_texts_of(truth)}],
    lambda texts: {
        'systems': CASE WHEN system_col IS NULL AND NOT regexp_matches(texts.rec, '(?i), "?system"? ')
            THEN _ranking_like_systems(texts.rec) END,
        'runs': CASE WHEN system_col::VARCHAR IS DISTINCT FROM ''
            THEN list_filter(
                _ranking_like_runs(texts.rec),
                lambda run: lower(run) <> lower(coalesce(system_col::VARCHAR, 'system'))) END,
        'grades': CASE WHEN grade_col IS NULL AND NOT regexp_matches(texts.truth, '(?i), "?rel"? ')
            THEN _ranking_like_grades(texts.truth) END})[1];

-- Returns the error for the first such column; NULL if there is none.
CREATE OR REPLACE TEMP MACRO _ranking_unread_column(rec, truth, COLUMN_NAMES) AS
list_transform(
    [_ranking_unread_columns(rec, truth, COLUMN_NAMES)],
    lambda unread: coalesce(
        format(
            'rec has a column {0} that is not read: system_col := ''{0}'' keeps models apart; '
            || 'system_col := '''' if each user has one list',
            unread.systems[1]),
        format(
            'rec has a column {0} that is not read, and would make one list of several runs: as system_col, name a '
            || 'column with system || ''/'' || {0} (then take the mean of each user''s runs); {1} if each user has one list',
            unread.runs[1],
            CASE WHEN unread.systems IS NULL THEN 'remove it (SELECT * EXCLUDE)' ELSE 'system_col := ''''' END),
        _ranking_grade_not_read(list_filter(unread.grades, lambda grade: NOT _ranking_is_score(grade, score_col))[1])))[1];

CREATE OR REPLACE TEMP MACRO _ranking_grade_not_read(name) AS
format(
    'truth has a column {0} that is not read: grade_col := ''{0}'' takes it as the grade; '
    || 'grade_col := '''' makes every row of truth relevant',
    name);

-- Returns true for a column of truth with the name of rec's scores. It holds grades only if _ranking_unread_scores has
-- several numbers.
CREATE OR REPLACE TEMP MACRO _ranking_is_score(name, score_col) AS
lower(name) = lower(coalesce(score_col::VARCHAR, 'score'));

-- Returns the error for a column whose types in two tables cannot match; NULL if they can.
CREATE OR REPLACE TEMP MACRO _ranking_type_problem(name, tables, one, other) AS
CASE WHEN NOT _ranking_same_type(one, other)
    THEN concat(
        _ranking_cut(name), ' must have the same type in ', tables, ', got ', _ranking_cut(one), ' and ', _ranking_cut(other),
        CASE WHEN ends_with(one, '[]') <> ends_with(other, '[]')
            THEN concat('; write unnest(', _ranking_cut(name), ') AS ', _ranking_cut(name), ' where it is a list')
            ELSE concat('; write CAST(', _ranking_cut(name), ' AS ', _ranking_cut(_ranking_common_type(one, other)), ') in both')
        END)
END;

-- Returns the error for the users or items of a table, if the column is missing or its type is not that of truth; NULL if
-- there is none.
CREATE OR REPLACE TEMP MACRO _ranking_ids_problem(argument, source, truth, id_col, kind) AS
CASE
    WHEN _ranking_has(source, id_col, kind || 'id') THEN _ranking_type_problem(
        coalesce(id_col::VARCHAR, kind || 'id'), 'truth and in ' || argument,
        _ranking_type(truth, id_col, kind || 'id'), _ranking_type(source, id_col, kind || 'id'))
    ELSE _ranking_no_column(argument, coalesce(id_col::VARCHAR, kind || 'id'), kind || '_col', _ranking_texts_of(source))
END;

-- Returns the columns that look like systems.
CREATE OR REPLACE TEMP MACRO _ranking_like_systems(texts) AS
regexp_extract_all(texts, LIKE_SYSTEMS, 1);

-- Returns the columns that look like runs of one system.
CREATE OR REPLACE TEMP MACRO _ranking_like_runs(texts) AS
regexp_extract_all(texts, LIKE_RUNS, 1);

-- Returns the numeric columns that look like grades.
CREATE OR REPLACE TEMP MACRO _ranking_like_grades(texts) AS
regexp_extract_all(texts, LIKE_GRADES, 1);

-- Returns the pattern for COLUMNS of a column's name, and of its substitute if it is missing (ranking_absent). A lambda
-- would be slower.
CREATE OR REPLACE TEMP MACRO _ranking_column(named, otherwise) AS
concat('(?i)^(?:', regexp_escape(coalesce(named::VARCHAR, otherwise)), '|ranking_absent)$');

-- Returns the names of a table's columns, short enough for an error of one line.
CREATE OR REPLACE TEMP MACRO _ranking_columns(texts) AS
_ranking_cut(replace(_ranking_joined(regexp_extract_all(texts, ', ("(?:[^"]|"")*"|[^ ]+) ', 1), ', '), ',, ', ', '));

-- Returns the name of a table, or an error for a query, since query_table does not take one.
CREATE OR REPLACE TEMP MACRO _ranking_table(argument, name) AS
CASE
    -- A file can be called "from bob.csv" or "(1) rec.csv".
    WHEN regexp_matches(name::VARCHAR, '(?i)^\s*(\(\s*)?(select|from|with|values)\b\W')
        AND NOT regexp_matches(name::VARCHAR, '(?i)\.(csv|tsv|txt|json|ndjson|jsonl|parquet|gz|zst|db|duckdb)\s*$')
        THEN error(concat(
            argument, ' must be the name of a table, view, CTE or file, got ', _ranking_cut(name::VARCHAR),
            ': write WITH mine AS (...) before the query, and ''mine'' here'))
    ELSE name
END;

-- Returns the type of a column; NULL if the table has no column of this name.
CREATE OR REPLACE TEMP MACRO _ranking_type(source, named, otherwise) AS
regexp_extract_all(
    typeof((
        SELECT row(*COLUMNS(_ranking_column(named, otherwise)))
        FROM (SELECT NULL AS ranking_absent, * FROM query_table(source) AS sources)
        WHERE false
    )),
    '(?s)^\w+\("NULL", (.*)\)$',
    1)[1];

-- Returns the columns of a table as such a string.
CREATE OR REPLACE TEMP MACRO _ranking_texts_of(source) AS
_ranking_column_texts(typeof((SELECT ranking_source FROM query_table(source) AS ranking_source WHERE false)));

-- Returns the error for an argument whose type cannot name a column; NULL if it can.
CREATE OR REPLACE TEMP MACRO _ranking_name_problem(argument, type, given) AS
CASE WHEN type NOT IN ('VARCHAR', 'STRING_LITERAL', '"NULL"')
    THEN concat(argument, ' must be the name of a column, got ', _ranking_cut(given))
END;

-- Returns the error for a column that a table lacks.
CREATE OR REPLACE TEMP MACRO _ranking_no_column(source, name, argument, texts) AS
concat(source, ' must have a column ', _ranking_cut(name), ' (', argument, '), got ', _ranking_columns(texts));
