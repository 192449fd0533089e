-- Returns the checked arguments of ranking.fuse. DuckDB would take twice as long to plan _ranking_rec_call.
CREATE OR REPLACE TEMP MACRO _ranking_fuse_call(
    caller, rec, method, weights, rrf_k, normalize, depth, systems, REC_COLUMN_ARGUMENTS) AS
list_transform(
    [{
        'user': coalesce(user_col::VARCHAR, 'userid'), 'item': coalesce(item_col::VARCHAR, 'itemid'),
        'score': coalesce(score_col::VARCHAR, 'score'), 'system': coalesce(system_col::VARCHAR, 'system'),
        'systems': TRY_CAST(systems AS VARCHAR[]),
        'weights': TRY_CAST(weights AS MAP(VARCHAR, DOUBLE)),
        'points': CASE WHEN method::VARCHAR LIKE 'comb%' THEN normalize::VARCHAR ELSE method::VARCHAR END,
        'are_valid': _ranking_no_problem(caller, coalesce(
            _ranking_empty_name('user_col', user_col), _ranking_empty_name('item_col', item_col),
            _ranking_empty_name('score_col', score_col), _ranking_own_column(system_col),
            CASE WHEN system_col::VARCHAR = '' THEN 'system_col must name the column of the systems to fuse, got ''''' END,
            _ranking_option(
                'method', method, 'rrf|combsum|combmnz|borda', method::VARCHAR IN ('rrf', 'combsum', 'combmnz', 'borda')),
            _ranking_option(
                'normalize', normalize, 'min_max|z_score|sum|none',
                normalize::VARCHAR IN ('min_max', 'z_score', 'sum', 'none')),
            _ranking_option(
                'rrf_k', rrf_k, 'a number >= 0',
                _ranking_is_number(typeof(rrf_k)) AND TRY_CAST(rrf_k AS DOUBLE) >= 0
                    AND isfinite(TRY_CAST(rrf_k AS DOUBLE))),
            _ranking_option(
                'depth', depth, 'an integer >= 1, or NULL for whole lists',
                depth IS NULL OR _ranking_is_integer(typeof(depth)) AND TRY_CAST(depth AS HUGEINT) >= 1),
            _ranking_option(
                'systems', systems, 'a list of names, such as [''bm25'', ''vector'']',
                systems IS NULL OR len(TRY_CAST(systems AS VARCHAR[])) > 0),
            _ranking_option(
                'weights', weights, 'a MAP of numbers >= 0, such as MAP {''bm25'': 1, ''vector'': 2}',
                weights IS NULL OR list_bool_and(list_transform(
                    map_values(TRY_CAST(weights AS MAP(VARCHAR, DOUBLE))),
                    lambda weight: coalesce(weight >= 0 AND isfinite(weight), false))))))}],
    lambda _ranking_given: {
        'caller': caller::VARCHAR, 'rec': _ranking_own_table('rec', rec, caller),
        'user': _ranking_given['user'], 'item': _ranking_given['item'], 'score': _ranking_given['score'],
        'system_column': _ranking_identifier(_ranking_given['system']),
        'rec_columns': _ranking_nulls(
            [_ranking_given['user'], _ranking_given['item'], _ranking_given['score'], _ranking_given['system']]),
        'system_pattern': _ranking_literal(
            concat('(?i)^(?:', regexp_escape(_ranking_given['system']), ')$|^(ranking_)system$')),
        'absent_pattern': _ranking_literal(concat('(?i)^(?:', regexp_escape(_ranking_given['system']), '|ranking_absent)$')),
        'rec_problem': _ranking_sql(
            '_ranking_rec_misfit({rec}, {user_col}, {item_col}, {score_col}, '''', {_ranking_given[''system'']}, {descending})'),
        'reused': CASE WHEN starts_with(version(), 'v1.5') THEN 'MATERIALIZED' ELSE 'NOT MATERIALIZED' END,
        'order': CASE WHEN TRY_CAST(descending AS BOOLEAN) THEN 'DESC' ELSE 'ASC' END,
        'down_to_depth': coalesce('[:' || least(TRY_CAST(depth AS HUGEINT), 2147483647) || ']', ''),
        'method': CASE WHEN _ranking_given['are_valid'] THEN method::VARCHAR END,
        'points': _ranking_given['points'],
        'adds_scores': method::VARCHAR LIKE 'comb%', 'reads_twice': _ranking_given['points'] IN ('borda', 'none'),
        'rrf_k': _ranking_as_text(rrf_k),
        'chooses': weights IS NOT NULL OR systems IS NOT NULL,
        'systems': _ranking_names_as_text(_ranking_given['systems']),
        'weights': '(MAP {' || _ranking_joined(
            list_transform(
                map_entries(_ranking_given['weights']),
                lambda _ranking_one: concat(
                    _ranking_literal(_ranking_one['key']), ': ', _ranking_literal(_ranking_one['value']::VARCHAR), '::DOUBLE')),
            ', ') || '})',
        'weighed': _ranking_names_as_text(map_keys(_ranking_given['weights'])),
        'shown_weights': weights::VARCHAR,
        -- Within the range for which a scale exists.
        'largest_weight': concat(
            _ranking_literal(
                greatest(least(coalesce(nullif(list_max(map_values(_ranking_given['weights'])), 0), 1), 1e308), 1e-270)::VARCHAR),
            '::DOUBLE')})[1];

-- Returns names as the SQL of a LIST; NULL if there are none.
CREATE OR REPLACE TEMP MACRO _ranking_names_as_text(names) AS
'[' || _ranking_joined(
    list_transform(
        names,
        lambda _ranking_name: CASE WHEN _ranking_name IS NULL THEN 'NULL' ELSE _ranking_literal(_ranking_name) END),
    ', ') || ']::VARCHAR[]';
