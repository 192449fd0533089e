-- Returns the distinct cutoffs in ascending order, or an error if there are none, or if one is negative, too large or not an
-- integer.
CREATE OR REPLACE TEMP MACRO _ranking_cuts(ks, caller) AS
list_transform(
    -- ks may be a subquery, and a lambda does not take one.
    [{
        'text': ks::VARCHAR, 'type': typeof(ks),
        'given': _ranking_numbers(ks), 'cuts': TRY_CAST(_ranking_numbers(ks) AS BIGINT[])}],
    lambda one: CASE
        WHEN NOT _ranking_is_number(regexp_replace(one['type'], '\[\d*\]$', ''))
            THEN error(caller || ': ks must be a list of integers, got ' || _ranking_cut(one['type']))
        WHEN one['text'] IS NULL OR len(one['given']) = 0
            THEN error(caller || ': ks must be a non-empty list of cutoffs, got ' || _ranking_cut(one['text']))
        WHEN NOT _ranking_are_integers(one['given'])
            THEN error(caller || ': every k in ks must be an integer, got ' || _ranking_cut(one['text']))
        WHEN list_min(one['given']::DOUBLE[]) < 0
            THEN error(caller || ': every k in ks must be 0 or more, got ' || list_min(TRY_CAST(one['given'] AS HUGEINT[])))
        WHEN list_count(one['cuts']) < list_count(one['given'])
            THEN error(caller || ': every k in ks must be an integer below 2^63, got ' || _ranking_cut(one['text']))
        -- NULL, the whole list, comes last.
        ELSE list_sort(list_distinct(one['cuts']), 'ASC')
            || CASE WHEN list_count(one['cuts']) < len(one['given']) THEN [NULL] ELSE [] END
    END)[1];

-- Returns true if a type is a number or that of NULLs only, but not BIGNUM, which must be cast to DOUBLE.
CREATE OR REPLACE TEMP MACRO _ranking_is_number(type) AS
_ranking_is_integer(type) OR regexp_full_match(type, 'FLOAT|DOUBLE|"NULL"|DECIMAL\(.*');

-- Returns cutoffs of any type as strings, so that none loses a digit.
CREATE OR REPLACE TEMP MACRO _ranking_numbers(ks) AS
CASE WHEN ends_with(typeof(ks), ']') THEN ks::VARCHAR ELSE concat('[', coalesce(ks::VARCHAR, 'NULL'), ']') END::VARCHAR[];

-- Returns true if cutoffs, as _ranking_numbers returns them, have no digits after the point.
CREATE OR REPLACE TEMP MACRO _ranking_are_integers(numbers) AS
-- 10, 10.0 and 1e+20, the form of large floating-point numbers
len(list_filter(numbers, lambda k: NOT regexp_full_match(k, '-?\d+(\.0+)?|-?[\d.]+e\+\d+'))) = 0;

-- Returns the largest cutoff, the depth of the ranking. NULL, the whole list, if one is NULL or beyond INTEGER.
CREATE OR REPLACE TEMP MACRO _ranking_longest(ks) AS
list_sort(TRY_CAST(concat('[', trim(ks::VARCHAR, '[]'), ']') AS INTEGER[]), 'DESC', 'NULLS FIRST')[1];

-- Returns the errors for columns that are missing, misnamed or of an unsuitable type. Grades and systems are required only
-- if they are named. An id must be of one family in both tables, since an implicit cast would match different ids, or none
-- at all.
CREATE OR REPLACE TEMP MACRO _ranking_misfits(rec, truth, COLUMN_NAMES) AS
list_transform(
    [[
        -- The argument, its type and string; the type of the column in rec and in truth: NULL if it is missing, empty if it
        -- is not required.
        ('user_col', typeof(user_col), coalesce(user_col::VARCHAR, 'userid'),
            _ranking_type(rec, user_col, 'userid'), _ranking_type(truth, user_col, 'userid')),
        ('item_col', typeof(item_col), coalesce(item_col::VARCHAR, 'itemid'),
            _ranking_type(rec, item_col, 'itemid'), _ranking_type(truth, item_col, 'itemid')),
        ('score_col', typeof(score_col), coalesce(score_col::VARCHAR, 'score'),
            _ranking_type(rec, score_col, 'score'), coalesce(_ranking_type(truth, score_col, 'score'), '')),
        ('grade_col', typeof(grade_col), coalesce(grade_col::VARCHAR, 'rel'), '',
            coalesce(
                _ranking_type(truth, grade_col, 'rel'),
                CASE WHEN coalesce(grade_col::VARCHAR, '') = '' THEN '"NULL"' END)),
        ('system_col', typeof(system_col), system_col::VARCHAR,
            CASE WHEN coalesce(system_col::VARCHAR, '') = '' THEN ''
                ELSE _ranking_type(rec, system_col, 'system') END, '')]],
    lambda columns: list_transform(
        [('rec', _ranking_texts_of(rec), 4), ('truth', _ranking_texts_of(truth), 5)],
        lambda source: list_transform(
            [list_transform(
                list_filter(
                    columns,
                    lambda c: CASE source[3] WHEN 4 THEN c[4] ELSE c[5] END IS NULL
                        AND _ranking_name_problem('', c[2], '') IS NULL),
                lambda c: {
                    'argument': c[1],
                    'name': c[3],
                    'near': _ranking_nearest_column(source[2], c[1]),
                    'is_elsewhere': CASE source[3] WHEN 4 THEN c[5] ELSE c[4] END NOT IN ('', '"NULL"')})],
            lambda missing: _ranking_missing_columns(
                source[1], source[2], missing, _ranking_select_advice(source[1], source[2], missing, columns)))[1])
    || list_transform(columns, lambda c: coalesce(_ranking_name_problem(c[1], c[2], c[3]), CASE
        WHEN c[4] IS NULL OR c[5] IS NULL THEN NULL
        WHEN c[1] IN ('user_col', 'item_col') AND NOT _ranking_same_type(c[4], c[5])
            THEN _ranking_type_problem(c[3], 'rec and in truth', c[4], c[5])
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
    END)))[1]
|| [CASE WHEN typeof(descending) <> 'BOOLEAN' OR descending IS NULL
    THEN 'descending must be true or false, got ' || _ranking_cut(descending::VARCHAR)
END,
-- With another collation, different users would be equal, but items would not.
_ranking_collation_problem()];

-- Returns true if items of this type cannot be matched: they are or contain an ARRAY (DuckDB 2.0.0 mixes up lists of those
-- in a LEFT JOIN, or takes all memory) or an INTERVAL (a month equals thirty days). Text in quotes is a name or an ENUM
-- value.
CREATE OR REPLACE TEMP MACRO _ranking_cannot_match(type) AS
regexp_matches(regexp_replace(type, '''[^'']*''|"[^"]*"', '', 'g'), '\[\d+\]|\bINTERVAL\b');

-- Returns the error for a column that is missing, of an unsuitable type, or unread but relevant by its name; NULL if there
-- is none.
CREATE OR REPLACE TEMP MACRO _ranking_columns_problem(rec, truth, COLUMN_NAMES) AS
coalesce(
    list_transform(
        [_ranking_misfits(rec, truth, COLUMN_NAMES)],
        lambda misfits: coalesce(nullif(concat_ws('; ', misfits[1], misfits[2]), ''), list_any_value(misfits)))[1],
    _ranking_unread_column(rec, truth, COLUMN_NAMES));

-- Returns the errors for the arguments of judging; NULL for each valid one.
CREATE OR REPLACE TEMP MACRO _ranking_judging_problems(JUDGING) AS
[
    _ranking_min_grade_problem(min_grade),
    _ranking_option('unjudged', unjudged, 'miss|skip', unjudged::VARCHAR IN ('miss', 'skip')),
    _ranking_option(
        'without_relevant', without_relevant, 'zero|skip', without_relevant::VARCHAR IN ('zero', 'skip'))];

-- Returns true if lists are condensed, that is, without unjudged items.
CREATE OR REPLACE TEMP MACRO _ranking_is_condensed(JUDGING) AS
unjudged::VARCHAR = 'skip';

-- Returns true if users without a relevant item are excluded.
CREATE OR REPLACE TEMP MACRO _ranking_skips_users(JUDGING) AS
without_relevant::VARCHAR = 'skip';

-- Returns the error for a min_grade that no row reaches if truth has no grades; NULL otherwise.
CREATE OR REPLACE TEMP MACRO _ranking_ungraded_problem(is_without, min_grade) AS
CASE WHEN is_without AND TRY_CAST(min_grade AS DOUBLE) > 1
    THEN 'min_grade must be 1 or less where truth has no grades (grade_col names their column), got ' || min_grade::VARCHAR
END;

-- Returns the error for an invalid cutoff; NULL if it is valid.
CREATE OR REPLACE TEMP MACRO _ranking_k_problem(k) AS
CASE
    WHEN typeof(k) <> '"NULL"' AND NOT _ranking_is_integer(typeof(k))
        THEN concat('k must be an integer, got ', typeof(k), ' ', k::VARCHAR)
    WHEN TRY_CAST(k AS DOUBLE) < 0 THEN concat('k must be 0 or more, got ', k::VARCHAR)
END;

-- Returns the error for an invalid min_grade; NULL if it is valid.
CREATE OR REPLACE TEMP MACRO _ranking_min_grade_problem(min_grade) AS
CASE
    WHEN min_grade IS NOT NULL
        THEN _ranking_option(
            'min_grade', min_grade, 'a number > 0',
            coalesce(TRY_CAST(min_grade AS DOUBLE) > 0 AND TRY_CAST(min_grade AS DOUBLE) < 'inf'::DOUBLE, false))
END;

-- Returns the error for an invalid option; NULL if it is valid. A rule that is NULL does not hold.
CREATE OR REPLACE TEMP MACRO _ranking_option(option, given, rule, holds) AS
CASE
    WHEN holds THEN NULL
    ELSE concat(
        option, ' must be ', rule, ', got ',
        CASE WHEN typeof(given) = 'VARCHAR' THEN '''' || given::VARCHAR || '''' ELSE coalesce(given::VARCHAR, 'NULL') END)
END;
