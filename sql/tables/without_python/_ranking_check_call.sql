-- Returns the arguments of ranking.check, for clients without Python. Only invalid tables and ks raise errors.
CREATE OR REPLACE TEMP MACRO _ranking_check_call(
    caller, rec, truth, ks := [10], COLUMN_ARGUMENTS, history := NULL, time_col := NULL, JUDGING_ARGUMENTS, items := NULL,
    predicted_truth := NULL) AS
list_transform(
    [{
        'cuts': _ranking_cuts(ks, caller), 'depth': _ranking_longest(_ranking_cuts(ks, caller)),
        'user': coalesce(user_col::VARCHAR, 'userid'), 'item': coalesce(item_col::VARCHAR, 'itemid'),
        'score': coalesce(score_col::VARCHAR, 'score'), 'grade': coalesce(grade_col::VARCHAR, 'rel'),
        'system': coalesce(system_col::VARCHAR, 'system'), 'time': coalesce(time_col::VARCHAR, 'time'),
        'descending': coalesce(TRY_CAST(descending AS BOOLEAN), false), 'condensed': _ranking_is_condensed(JUDGING),
        'lowest_grade': TRY_CAST(min_grade AS DOUBLE)::VARCHAR || '::DOUBLE'}],
    lambda _ranking_given: {
        'caller': caller::VARCHAR,
        'rec': _ranking_own_table('rec', rec, caller), 'truth': _ranking_own_table('truth', truth, caller),
        'users': _ranking_own_table('users', users, caller), 'has_users': users IS NOT NULL,
        'history': _ranking_own_table('history', history, caller), 'has_history': history IS NOT NULL,
        'items': _ranking_own_table('items', items, caller), 'has_items': items IS NOT NULL,
        'truths': CASE WHEN users IS NULL THEN '_ranking_truth' ELSE 'truths' END,
        'user_column': _ranking_optional_column(_ranking_given['user']),
        'item_column': _ranking_optional_column(_ranking_given['item']),
        'score_column': _ranking_optional_column(_ranking_given['score']),
        'grade_column': _ranking_optional_column(_ranking_given['grade']),
        'system_column': _ranking_optional_column(_ranking_given['system']),
        'time_column': _ranking_optional_column(_ranking_given['time']),
        'rec_columns': _ranking_nulls([
            nullif(_ranking_given['user'], ''), nullif(_ranking_given['item'], ''), nullif(_ranking_given['score'], ''),
            nullif(_ranking_given['system'], ''), 'rank']),
        'truth_columns': _ranking_nulls([
            nullif(_ranking_given['user'], ''), nullif(_ranking_given['item'], ''), nullif(_ranking_given['grade'], ''),
            CASE WHEN _ranking_hides_grades(grade_col, _ranking_given['score']) THEN _ranking_given['score'] END,
            CASE WHEN history IS NOT NULL THEN nullif(_ranking_given['time'], '') END, 'rel']),
        'users_columns': _ranking_nulls([nullif(_ranking_given['user'], ''), 'userid']),
        'history_columns': _ranking_nulls([
            nullif(_ranking_given['user'], ''), nullif(_ranking_given['item'], ''), nullif(_ranking_given['time'], ''),
            'userid']),
        'items_columns': _ranking_nulls([nullif(_ranking_given['item'], ''), 'itemid']),
        'grade_pattern': _ranking_literal(_ranking_column(_ranking_given['grade'], '')),
        'item_pattern': _ranking_literal(_ranking_column(_ranking_given['item'], '')),
        'user_text': _ranking_literal(_ranking_given['user']), 'item_text': _ranking_literal(_ranking_given['item']),
        'grade_text': _ranking_literal(_ranking_given['grade']), 'user': _ranking_given['user'],
        'item': _ranking_given['item'], 'score': _ranking_given['score'], 'grade': _ranking_given['grade'],
        'least': coalesce(format('{:g}', TRY_CAST(min_grade AS DOUBLE)) || ' or above', 'above 0'),
        'may_have_systems': system_col::VARCHAR IS DISTINCT FROM '',
        'may_hide_grades': _ranking_hides_grades(grade_col, _ranking_given['score']),
        'hidden_grade': concat(
            'CASE WHEN typeof(["rel"]) = ''"NULL"[]'' AND regexp_full_match(typeof(',
            _ranking_identifier(_ranking_given['score']), '), ''PLAIN_NUMBER'') THEN ',
            _ranking_identifier(_ranking_given['score']), ' END'),
        'is_relevant': coalesce('>= ' || _ranking_given['lowest_grade'], '> 0'),
        'is_irrelevant': coalesce('< ' || _ranking_given['lowest_grade'], '<= 0'),
        'skips_users': _ranking_skips_users(JUDGING), 'condensed': _ranking_given['condensed'],
        'descending': _ranking_given['descending'],
        'direction': coalesce((2 * TRY_CAST(descending AS BOOLEAN)::INTEGER - 1)::VARCHAR, 'NULL::INTEGER'),
        'order': CASE WHEN _ranking_given['descending'] THEN 'DESC' ELSE 'ASC' END,
        'best': CASE WHEN _ranking_given['descending'] THEN 'max' ELSE 'min' END,
        'at_least': CASE WHEN _ranking_given['descending'] THEN '>=' ELSE '<=' END,
        'recs': '_ranking_rec',
        'is_short': coalesce(NOT _ranking_given['condensed'] AND _ranking_given['depth'] <= 32, false),
        'has_heap': coalesce(_ranking_given['depth'] <= 31, false), 'heap_size': (_ranking_given['depth'] + 1)::VARCHAR,
        'depth': _ranking_given['depth']::VARCHAR, 'heap': greatest(_ranking_given['depth'], 1)::VARCHAR,
        'best_rows': concat('best', '[:' || _ranking_given['depth'] || ']'),
        'down_to_k': CASE WHEN _ranking_given['condensed'] THEN '' ELSE coalesce('[:' || _ranking_given['depth'] || ']', '') END,
        'cutoff': coalesce(_ranking_given['depth']::VARCHAR, 'NULL'),
        'unnested_ks': concat(
            '[', _ranking_joined(
                list_transform(_ranking_given['cuts'], lambda _ranking_k: coalesce(_ranking_k::VARCHAR, 'NULL')), ', '),
            ']::BIGINT[]'),
        'reused': CASE WHEN starts_with(version(), 'v1.5') THEN 'MATERIALIZED' ELSE 'NOT MATERIALIZED' END,
        'is_without': CASE WHEN predicted_truth IS NOT NULL THEN error(concat(
            caller, ': predicted_truth must be NULL where the Python package is not, got ', predicted_truth))::VARCHAR ELSE '' END,
        -- Only the requested parts, since DuckDB takes long to plan each of them.
        'column_findings': concat(
            _ranking_sql('_ranking_unfit(
                _ranking_misfits({rec}, {truth}, COLUMNS_AS_TEXTS) || _ranking_judging_problems(JUDGING_AS_TEXTS))'),
            CASE WHEN history IS NOT NULL THEN _ranking_sql(
                ' || _ranking_unfit(_ranking_history_misfits({truth}, {history}, COLUMNS_AS_TEXTS, {time_col}))') END,
            CASE WHEN items IS NOT NULL THEN _ranking_sql(
                ' || _ranking_unfit([_ranking_ids_problem(''items'', {items}, {truth}, {item_col}, ''item'')])') END,
            CASE WHEN users IS NOT NULL THEN concat(
                ' || list_filter([[''users'', ',
                _ranking_sql('_ranking_ids_problem(''users'', {users}, {truth}, {user_col}, ''user'')'),
                ']], lambda _ranking_one: _ranking_one[2] IS NOT NULL)') END,
            ' || ',
            CASE WHEN _ranking_hides_grades(grade_col, _ranking_given['score']) THEN _ranking_sql('_ranking_unread(
                _ranking_unread_columns({rec}, {truth}, COLUMNS_AS_TEXTS),
                (SELECT min(hidden_grade) < max(hidden_grade) FROM _ranking_truth), {score_col})')
            ELSE _ranking_sql('_ranking_unread(
                _ranking_unread_columns({rec}, {truth}, COLUMNS_AS_TEXTS), false, {score_col})') END)
    })[1];

-- Returns a column as SQL; without a name there is none.
CREATE OR REPLACE TEMP MACRO _ranking_optional_column(name) AS
CASE WHEN name = '' THEN 'NULL' ELSE _ranking_identifier(name) END;

-- Returns problems of columns as pairs of a code and a sentence. The check itself reports the collation.
CREATE OR REPLACE TEMP MACRO _ranking_unfit(misfits) AS
list_transform(
    list_filter(misfits, lambda _ranking_text: NOT starts_with(_ranking_text, 'default_collation')),
    lambda _ranking_text: CASE
        WHEN _ranking_text LIKE 'truth or history without%' THEN ['no_time', split_part(_ranking_text, ', got ', 2)]
        ELSE ['unfit_column', _ranking_text]
    END);

-- Returns unread columns as such pairs.
CREATE OR REPLACE TEMP MACRO _ranking_unread(unread, several, score_col) AS
list_transform(
    [{'unread': unread, 'several': coalesce(several, false)}],
    lambda _ranking_one:
        coalesce(list_transform(
            list_filter(
                _ranking_one['unread']['grades'],
                lambda _ranking_name: _ranking_one['several'] OR NOT _ranking_is_score(_ranking_name, score_col)),
            lambda _ranking_name: ['grade_not_read', _ranking_name]), [])
        || coalesce(list_transform(
            _ranking_one['unread']['systems'], lambda _ranking_name: ['system_not_read', _ranking_name]), [])
        || coalesce(list_transform(
            _ranking_one['unread']['runs'], lambda _ranking_name: ['run_not_read', _ranking_name]), []))[1];

-- Returns the errors for columns of the history that are missing or do not match those of truth. Times are only required if
-- they are named. All is known at planning time.
CREATE OR REPLACE TEMP MACRO _ranking_history_misfits(truth, history, COLUMN_NAMES, time_col) AS
[_ranking_ids_problem('history', history, truth, user_col, 'user'),
    _ranking_ids_problem('history', history, truth, item_col, 'item')]
|| list_transform(
    [(coalesce(time_col::VARCHAR, 'time'), _ranking_type(truth, time_col, 'time'), _ranking_type(history, time_col, 'time'))],
    lambda c: coalesce(_ranking_name_problem('time_col', typeof(time_col), c[1]), CASE
        WHEN time_col::VARCHAR = '' OR time_col IS NULL AND c[2] IS NULL AND c[3] IS NULL THEN NULL
        WHEN time_col IS NULL AND (c[2] IS NULL OR c[3] IS NULL)
            THEN concat(
                'truth or history without a column time, so its late events are not looked for, got ',
                CASE WHEN c[2] IS NULL THEN 'one in history' ELSE 'one in truth' END)
        WHEN c[3] IS NULL THEN _ranking_no_column('history', c[1], 'time_col', _ranking_texts_of(history))
        WHEN c[2] IS NULL THEN _ranking_no_column('truth', c[1], 'time_col', _ranking_texts_of(truth))
        WHEN _ranking_time_kind(c[2]) = _ranking_time_kind(c[3]) THEN NULL
        ELSE concat(
            _ranking_cut(c[1]), ' must be integers, DATEs or TIMESTAMPs, of one kind in truth and in history, got ',
            _ranking_cut(c[2]), ' and ', _ranking_cut(c[3]))
    END));

-- Returns the kind of a type of time in words. Times of one kind can be compared.
CREATE OR REPLACE TEMP MACRO _ranking_time_kind(type) AS
CASE
    WHEN _ranking_is_integer(type) THEN 'an integer'
    WHEN type = 'TIMESTAMP WITH TIME ZONE' THEN 'a TIMESTAMPTZ'
    WHEN regexp_full_match(type, 'DATE|TIMESTAMP(_S|_MS|_NS)?') THEN 'a DATE or TIMESTAMP'
END;
