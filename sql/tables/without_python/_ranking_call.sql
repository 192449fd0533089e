-- Returns the checked arguments of a table function as the templates need them, for clients without Python.
CREATE OR REPLACE TEMP MACRO _ranking_call(
    caller, rec := NULL, truth := NULL, ks := NULL, max_k := NULL, measures := NULL, usual := NULL, ties := 'item', divide := 'k',
    COLUMN_ARGUMENTS, JUDGING_ARGUMENTS) AS
list_transform(
    [{
        'asked': _ranking_asked(measures, usual, ties, caller),
        'cuts': CASE
            WHEN caller::VARCHAR IN (WITHOUT_KS) THEN CASE WHEN _ranking_valid_k(max_k, caller) THEN [TRY_CAST(max_k AS BIGINT)] END
            ELSE _ranking_cuts(ks, caller)
        END,
        'user': coalesce(user_col::VARCHAR, 'userid'), 'item': coalesce(item_col::VARCHAR, 'itemid'),
        'score': coalesce(score_col::VARCHAR, 'score'), 'grade': coalesce(grade_col::VARCHAR, 'rel'),
        'system': coalesce(system_col::VARCHAR, 'system'),
        'expected': _ranking_ties_choice(ties, false, false, true, caller),
        'trec': ties::VARCHAR = 'trec',
        'condensed': unjudged::VARCHAR = 'skip',
        'is_best_high': ties::VARCHAR = 'trec' OR TRY_CAST(descending AS BOOLEAN),
        'are_valid': _ranking_no_problem(caller, coalesce(
            _ranking_empty_name('user_col', user_col), _ranking_empty_name('item_col', item_col),
            _ranking_empty_name('score_col', score_col),
            _ranking_own_column(system_col),
            list_any_value(_ranking_judging_problems(JUDGING))))}],
    lambda _ranking_given: list_transform(
        [{
            'depth': _ranking_longest(_ranking_given['cuts']),
            'is_whole': _ranking_given['condensed'] OR _ranking_longest(_ranking_given['cuts']) IS NULL,
            'formulas': list_transform(_ranking_given['asked'], lambda _ranking_name: CASE
                WHEN _ranking_given['expected'] THEN _ranking_expected_formula(_ranking_name)
                ELSE _ranking_formula(_ranking_name)
            END)}],
        lambda _ranking_cut_at: {
            'caller': caller::VARCHAR,
            'rec': _ranking_own_table('rec', rec, caller), 'truth': _ranking_own_table('truth', truth, caller),
            'users': _ranking_own_table('users', users, caller), 'has_users': users IS NOT NULL,
            'user': _ranking_given['user'], 'item': _ranking_given['item'], 'score': _ranking_given['score'],
            'system_column': CASE WHEN system_col::VARCHAR IS DISTINCT FROM ''
                THEN _ranking_identifier(_ranking_given['system']) ELSE 'NULL' END,
            'grade_name': _ranking_given['grade'],
            'grade_column': CASE WHEN grade_col::VARCHAR IS DISTINCT FROM ''
                THEN _ranking_identifier(_ranking_given['grade']) ELSE 'NULL' END,
            'rec_columns': _ranking_nulls([
                _ranking_given['user'], _ranking_given['item'], _ranking_given['score'],
                CASE WHEN system_col::VARCHAR IS DISTINCT FROM '' THEN _ranking_given['system'] END]),
            'truth_columns': _ranking_nulls([
                _ranking_given['user'], _ranking_given['item'],
                CASE WHEN grade_col::VARCHAR IS DISTINCT FROM '' THEN _ranking_given['grade'] END,
                CASE WHEN _ranking_hides_grades(grade_col, _ranking_given['score']) THEN _ranking_given['score'] END]),
            'users_columns': _ranking_nulls([_ranking_given['user']]),
            'may_have_systems': system_col::VARCHAR IS DISTINCT FROM '',
            'system_pattern': _ranking_literal(
                concat('(?i)^(?:', regexp_escape(_ranking_given['system']), ')$|^(ranking_)system$')),
            'absent_pattern': _ranking_literal(
                concat('(?i)^(?:', regexp_escape(_ranking_given['system']), '|ranking_absent)$')),
            'may_have_grades': grade_col::VARCHAR IS DISTINCT FROM '',
            'may_lack_grades': coalesce(grade_col::VARCHAR, '') = '',
            'may_hide_grades': _ranking_hides_grades(grade_col, _ranking_given['score']),
            'row_grade': CASE
                WHEN grade_col IS NULL THEN 'CASE WHEN has_grades THEN TRY_CAST(rel AS DOUBLE) ELSE 1 END'
                WHEN grade_col::VARCHAR = '' THEN '1' ELSE 'TRY_CAST(rel AS DOUBLE)'
            END,
            'hidden_grade': concat(
                'CASE WHEN typeof(["rel"]) = ''"NULL"[]'' AND regexp_full_match(typeof(',
                _ranking_identifier(_ranking_given['score']), '), ''PLAIN_NUMBER'') THEN ',
                _ranking_identifier(_ranking_given['score']), ' END'),
            'hidden_grade_text': _ranking_grade_not_read(_ranking_given['score']),
            'has_min_grade': min_grade IS NOT NULL, 'lowest_grade': TRY_CAST(min_grade AS DOUBLE)::VARCHAR || '::DOUBLE',
            'is_relevant': coalesce('>= ' || TRY_CAST(min_grade AS DOUBLE)::VARCHAR || '::DOUBLE', '> 0'),
            'skips_users': without_relevant::VARCHAR = 'skip',
            -- Only the requested parts, since DuckDB takes long to plan each of them.
            'column_problem': concat(
                'coalesce(', _ranking_sql('_ranking_tables_problem({rec}, {truth}, COLUMNS_AS_TEXTS)'),
                CASE WHEN users IS NOT NULL THEN _ranking_sql(
                    ', _ranking_ids_problem(''users'', {users}, {truth}, {_ranking_given[''user'']}, ''user'')') END,
                CASE WHEN TRY_CAST(min_grade AS DOUBLE) > 1 THEN _ranking_sql(
                    ', _ranking_ungraded_problem(NOT _ranking_has({truth}, {grade_col}, ''rel''), {min_grade})') END,
                ')'),
            'reused': CASE WHEN starts_with(version(), 'v1.5') THEN 'MATERIALIZED' ELSE 'NOT MATERIALIZED' END,
            'columns': list_transform(_ranking_given['asked'], lambda _ranking_name, i: {
                'name': _ranking_name,
                'formula': CASE
                    WHEN min_grade IS NOT NULL AND NOT _ranking_takes_grade(_ranking_name) THEN concat('value_', i)
                    ELSE _ranking_cut_at['formulas'][i]
                END,
                'is_share': _ranking_is_share(_ranking_name), 'place': i::VARCHAR}),
            'gains': list_filter(
                list_transform(_ranking_given['asked'], lambda _ranking_name, i: {
                    'name': CASE WHEN NOT _ranking_takes_grade(_ranking_name) THEN concat('value_', i) END,
                    'formula': _ranking_cut_at['formulas'][i],
                    'is_share': false}),
                lambda _ranking_one: _ranking_one['name'] IS NOT NULL),
            'measure_names': _ranking_joined(
                list_transform(_ranking_given['asked'], lambda _ranking_name: _ranking_identifier(_ranking_name)), ', '),
            'expected': _ranking_given['expected'], 'trec': _ranking_given['trec'], 'condensed': _ranking_given['condensed'],
            'divides_by_list': CASE
                WHEN _ranking_no_problem(
                    caller, _ranking_option('divide', divide, 'list|k', divide::VARCHAR IN ('list', 'k')))
                    THEN divide::VARCHAR = 'list'
            END,
            'given_order': CASE WHEN TRY_CAST(descending AS BOOLEAN) THEN 'DESC' ELSE 'ASC' END,
            'order': CASE WHEN _ranking_given['is_best_high'] THEN 'DESC' ELSE 'ASC' END,
            'best': CASE WHEN _ranking_given['is_best_high'] THEN 'max' ELSE 'min' END,
            'at_least': CASE WHEN _ranking_given['is_best_high'] THEN '>=' ELSE '<=' END,
            'recs': CASE WHEN _ranking_given['trec'] THEN 'ranked' ELSE '_ranking_rec' END,
            'is_short': coalesce(NOT _ranking_cut_at['is_whole'] AND _ranking_cut_at['depth'] <= 32, false),
            'is_small': coalesce(
                NOT _ranking_cut_at['is_whole'] AND NOT _ranking_given['expected'] AND _ranking_cut_at['depth'] <= 50, false),
            'depth': _ranking_cut_at['depth']::VARCHAR,
            'heap': greatest(_ranking_cut_at['depth'], 1)::VARCHAR,
            'down_to_k': CASE WHEN _ranking_cut_at['is_whole'] OR _ranking_given['expected'] THEN ''
                ELSE concat('[:', _ranking_cut_at['depth'], ']') END,
            'down_to_depth': coalesce('[:' || _ranking_cut_at['depth'] || ']', ''),
            'cutoff': coalesce(_ranking_cut_at['depth']::VARCHAR, 'NULL'),
            'unnested_ks': CASE
                WHEN caller::VARCHAR <> 'ranking.precision_recall_curve'
                    THEN concat('[', _ranking_joined(
                        list_transform(_ranking_given['cuts'], lambda _ranking_k: coalesce(_ranking_k::VARCHAR, 'NULL')), ', '),
                        ']::BIGINT[]')
                WHEN _ranking_cut_at['depth'] IS NULL
                    THEN error(concat(
                        caller, ': max_k must be from 0 to 2147483647, got ', coalesce(max_k::VARCHAR, 'NULL')))::VARCHAR
                ELSE concat('range(1, ', _ranking_cut_at['depth'], ' + 1)')
            END})[1])[1];

-- Returns the value for a choice of `ties`, or an error for an unknown choice. trec is NULL if it is not a choice.
CREATE OR REPLACE TEMP MACRO _ranking_ties_choice(ties, item, trec, expected, caller) AS
CASE
    WHEN typeof(ties) = 'VARCHAR' AND ties::VARCHAR = 'item' THEN item
    WHEN typeof(ties) = 'VARCHAR' AND ties::VARCHAR = 'trec' AND trec IS NOT NULL THEN trec
    WHEN typeof(ties) = 'VARCHAR' AND ties::VARCHAR = 'expected' THEN expected
    ELSE error(concat(caller, ': ', _ranking_option(
        'ties', ties, CASE WHEN trec IS NULL THEN 'item|expected' ELSE 'item|trec|expected' END, false)))
END;

-- Returns the requested measures, each once, or an error. Without names, returns the measures that have a column.
CREATE OR REPLACE TEMP MACRO _ranking_asked(measures, usual, ties, caller) AS
CASE
    WHEN NOT regexp_full_match(typeof(measures), '(VARCHAR|"NULL")(\[\d*\])?')
        THEN error(concat(
            caller, ': measures must be names of measures, as in [''ndcg'', ''recall@5''], got ', _ranking_cut(typeof(measures))))
    WHEN measures::VARCHAR IN ('[]', '')
        THEN error(concat(caller, ': measures must be one or more names of measures, got ', _ranking_cut(measures::VARCHAR)))
    WHEN length(measures::VARCHAR) > 10000
        THEN error(concat(
            caller, ': measures must be a string of at most 10000 characters, got ', length(measures::VARCHAR)))
    WHEN regexp_matches(measures::VARCHAR, '[(@]')
        THEN error(concat(
            caller, ': measures must be names alone without Python, got ', _ranking_cut(measures::VARCHAR),
            ': for options, write ranking.ndcg(judged, 10, gain := ''linear'') over ranking.judged; cutoffs are ks'))
    WHEN coalesce(measures::VARCHAR, usual) IS NULL
        THEN CASE WHEN ties::VARCHAR = 'expected' THEN EXPECTED_MEASURES ELSE COLUMN_MEASURES END
    ELSE list_transform(
        [list_transform(
            string_split(
                CASE WHEN ends_with(typeof(measures), ']')
                    THEN _ranking_joined(
                        list_transform(
                            TRY_CAST(measures AS VARCHAR[]), lambda _ranking_name: coalesce(_ranking_name, 'NULL')),
                        ',')
                    ELSE coalesce(measures::VARCHAR, usual)
                END,
                ','),
            lambda _ranking_name: (_ranking_name, _ranking_known_measure(trim(_ranking_name))['measure']))],
        lambda _ranking_found: list_transform(
            list_filter(
                _ranking_found,
                lambda _ranking_one, i: _ranking_one[2] IS NULL OR i = list_position(
                    list_transform(_ranking_found, lambda _ranking_other: _ranking_other[2]), _ranking_one[2])),
            lambda _ranking_one: CASE
                WHEN _ranking_one[2] IS NULL
                    THEN error(concat(
                        caller, ': measure must be the name of a measure, got ''', _ranking_cut(trim(_ranking_one[1])),
                        ''' (FROM ranking.functions() lists them)'))::VARCHAR
                WHEN ties::VARCHAR = 'expected' AND NOT list_contains(EXPECTED_MEASURES, _ranking_one[2])
                    THEN error(concat(
                        caller, ': with ties := ''expected'' a measure must have an expected value in closed form (FROM '
                        || 'ranking.functions() lists measures), got ', _ranking_one[2]))::VARCHAR
                ELSE _ranking_one[2]
            END))[1]
END;

-- Returns the error of _ranking_columns_problem, or the error for grades whose type is that of NULLs only.
CREATE OR REPLACE TEMP MACRO _ranking_tables_problem(rec, truth, COLUMN_NAMES) AS
coalesce(
    _ranking_columns_problem(rec, truth, COLUMN_NAMES),
    CASE WHEN grade_col IS NULL AND _ranking_type(truth, grade_col, 'rel') = '"NULL"'
        THEN 'rel must be a finite number, got NULL' END);

-- Returns the name of a table as a string, or an error if this SQL has a CTE of that name.
CREATE OR REPLACE TEMP MACRO _ranking_own_table(argument, name, caller) AS
CASE
    WHEN regexp_replace(replace(lower(name::VARCHAR), '"', ''), '^main\.', '') IN OWN_NAMES
        THEN error(concat(
            caller, ': ', argument, ' must be a table of another name, got ', name,
            ': the SQL of this function has a CTE of that name'))
    ELSE _ranking_table(argument, name)::VARCHAR
END;

-- Returns the direction of a measure as SQL, or an error if no direction is better, and whether its range is 0 to 1.
CREATE OR REPLACE TEMP MACRO _ranking_is_high(caller, name) AS
coalesce(
    _ranking_known_measures()[name]['higher_is_better']::VARCHAR,
    error(concat(caller, ': measures must say which of two systems is better, got ', name))::VARCHAR);

CREATE OR REPLACE TEMP MACRO _ranking_is_probability(name) AS
_ranking_known_measures()[name]['is_share']::VARCHAR;

-- Returns the error for a column of systems with a reserved name; NULL for any other name.
CREATE OR REPLACE TEMP MACRO _ranking_own_column(system_col) AS
CASE WHEN lower(system_col::VARCHAR) IN ('ranking_system', 'ranking_absent')
    THEN 'system_col must be a column of another name (the SQL has one of this name), got ' || system_col::VARCHAR END;

-- Returns the error for a required name of a column; NULL for a valid name.
CREATE OR REPLACE TEMP MACRO _ranking_empty_name(argument, name) AS
CASE WHEN name::VARCHAR = '' THEN argument || ' must be the name of a column, got ''''' END;

-- Returns columns of NULL for these names, each once; no column for NULL.
CREATE OR REPLACE TEMP MACRO _ranking_nulls(names) AS
_ranking_joined(
    list_transform(
        list_filter(
            names, lambda _ranking_name, i: _ranking_name IS NOT NULL AND i = list_position(
                list_transform(names, lambda _ranking_other: lower(_ranking_other)), lower(_ranking_name))),
        lambda _ranking_name: 'NULL AS ' || _ranking_identifier(_ranking_name)),
    ', ');

-- Returns true if a column of truth with the name of rec's scores may hold unread grades.
CREATE OR REPLACE TEMP MACRO _ranking_hides_grades(grade_col, score) AS
grade_col IS NULL AND len(_ranking_like_grades(concat(', ', score, ' DOUBLE,'))) > 0;

-- Returns a name as SQL.
CREATE OR REPLACE TEMP MACRO _ranking_identifier(name) AS
concat('"', replace(name, '"', '""'), '"');

-- Returns a string as SQL.
CREATE OR REPLACE TEMP MACRO _ranking_literal(text) AS
concat('''', replace(text, '''', ''''''), '''');

-- Returns true, or an error if max_k is negative or not an integer.
CREATE OR REPLACE TEMP MACRO _ranking_valid_k(max_k, caller) AS
_ranking_no_problem(caller, 'max_k must be ' || CASE
    WHEN NOT _ranking_is_number(typeof(max_k)) THEN 'an integer, got ' || _ranking_cut(typeof(max_k))
    WHEN NOT _ranking_are_integers(_ranking_numbers(max_k)) THEN 'an integer, got ' || _ranking_cut(max_k::VARCHAR)
    WHEN TRY_CAST(max_k AS DOUBLE) < 0 THEN '0 or more, got ' || _ranking_cut(max_k::VARCHAR)
END);

-- Returns the entry of a measure. Its name may be in any case, such as `Hit rate` or `hit-rate` for hit_rate.
CREATE OR REPLACE TEMP MACRO _ranking_known_measure(name) AS
_ranking_known_measures()[regexp_replace(lower(name), '[^a-z0-9_\x{80}-\x{10FFFF}]+', '_', 'g')];
