-- The measures that are asked for, by the grammar of udfs/ranking_udfs/measures/grammar.py, each once. In stages, since
-- DuckDB plans an expression as often as it is named. A field is taken by brackets: in an argument of query() DuckDB reads
-- a.b as a text.
--
-- Returns: LIST of STRUCT: measure, the name of its column; is_right, false where the text is not one of a measure, so
--     that nothing of it may become SQL; known and rules, what _ranking_known_measures and _ranking_options say; pairs,
--     its options as name=value, and their names; cuts BIGINT[], its own cut-offs, NULL among them for the whole list;
--     at_ks, whether it is asked for at the common ones too. NULL where measures cannot be names at all
CREATE OR REPLACE TEMP MACRO _ranking_choices(measures, usual) AS
list_transform(
    [list_transform(
        list_transform(
            list_transform(_ranking_measure_texts(measures, usual), lambda text: _ranking_measure_parts(text)),
            lambda one: {
                'known': _ranking_known_measure(one['name']),
                'rules': _ranking_options()[_ranking_known_measure(one['name'])['measure']],
                'pairs': _ranking_option_pairs(one['options']),
                'names': list_transform(_ranking_option_pairs(one['options']), lambda pair: split_part(pair, '=', 1)),
                'cuts': list_transform(
                    CASE WHEN one['at'] <> '' THEN string_split(one['at'][2:], ',') ELSE [] END, lambda k: trim(k, e' \t\r\n')),
                'at_ks': one['at'] = ''}),
        lambda one: {
            'measure': concat(one['known']['measure'], '(' || _ranking_joined(one['pairs'], ',') || ')'),
            'is_right': one['known']['measure'] IS NOT NULL
                AND len(list_distinct(one['names'])) = len(one['names'])
                AND len(list_filter(one['pairs'], lambda pair, i: NOT _ranking_option_holds(
                    one['rules']['options'][one['names'][i]], pair, one['pairs'], one['names'], one['rules']['options']))) = 0
                AND len(list_filter(one['cuts'], lambda k: NOT regexp_full_match(k, '[0-9]+|all'))) = 0,
            'known': one['known'], 'rules': one['rules'], 'pairs': one['pairs'], 'names': one['names'],
            'cuts': list_transform(one['cuts'], lambda k: CASE
                WHEN k <> 'all' THEN coalesce(TRY_CAST(k AS BIGINT), 9223372036854775807) END),
            'at_ks': one['at_ks']})],
    lambda choices: list_transform(
        list_filter(
            choices,
            -- 1e3 and 1E3 would be the same name of a column.
            lambda one, i: i = list_position(
                list_transform(choices, lambda other: lower(other['measure'])), lower(one['measure']))),
        lambda one: list_transform(
            [list_filter(choices, lambda other: lower(other['measure']) = lower(one['measure']))],
            lambda same: {
                'measure': one['measure'],
                'is_right': len(list_filter(same, lambda other: NOT other['is_right'])) = 0,
                'known': one['known'], 'rules': one['rules'], 'pairs': one['pairs'],
                'names': one['names'],
                'cuts': flatten(list_transform(same, lambda other: other['cuts'])),
                'at_ks': list_contains(list_transform(same, lambda other: other['at_ks']), true)})[1]))[1];

-- The texts of single measures, NULL where there are none: a comma within parentheses stands between options, and behind
-- an @ what does not begin with a letter is one more cut-off.
CREATE OR REPLACE TEMP MACRO _ranking_measure_texts(measures, usual) AS
CASE
    WHEN regexp_full_match(typeof(measures), '(VARCHAR|"NULL")(\[\d*\])?')
        AND coalesce(measures::VARCHAR, usual) NOT IN ('[]', '') AND coalesce(length(measures::VARCHAR), 0) <= 10000
    THEN string_split(
        list_reduce(
            string_split(
                coalesce(_ranking_joined(
                    list_transform(
                        regexp_extract_all(
                            CASE
                                WHEN measures IS NULL THEN usual::VARCHAR
                                WHEN ends_with(typeof(measures), ']')
                                    THEN _ranking_joined(
                                        list_transform(TRY_CAST(measures AS VARCHAR[]), lambda one: coalesce(one, 'NULL')), ',')
                                ELSE measures::VARCHAR
                            END,
                            '\([^()]*\)|[^()]+|[()]'),
                        lambda piece: CASE WHEN starts_with(piece, '(') THEN replace(piece, ',', ' ') ELSE piece END),
                    ''), ''),
                ','),
            lambda above, part: concat(
                above,
                CASE
                    WHEN regexp_matches(above, '@[^\n]*$')
                        AND regexp_matches(part, '^\s*(all\s*$|[^a-zA-Z\s\x{80}-\x{10FFFF}]|$)') THEN ','
                    ELSE chr(10)
                END,
                part)),
        chr(10))
END;

-- The name of a measure, its options within parentheses, and its cut-offs behind an @, as texts.
CREATE OR REPLACE TEMP MACRO _ranking_measure_parts(text) AS
regexp_extract(text, '(?s)^\s*([^()@]*?)\s*(\([^()]*\))?\s*(@.*)?$', ['name', 'options', 'at']);

-- The entry of a measure's name, written in any case, `Hit rate` and `hit-rate` for hit_rate.
CREATE OR REPLACE TEMP MACRO _ranking_known_measure(name) AS
_ranking_known_measures()[regexp_replace(lower(name), '[^a-z0-9_\x{80}-\x{10FFFF}]+', '_', 'g')];

-- The direction and the range of each measure, under each of its names. A text that is cast, since DuckDB takes as long to
-- plan each part of a MAP as a function.
CREATE OR REPLACE TEMP MACRO _ranking_known_measures() AS
KNOWN_MEASURES::MAP(VARCHAR, STRUCT(measure VARCHAR, higher_is_better BOOLEAN, is_share BOOLEAN));

-- The measures of the registry, in its order: `expected`, the macro of its expected value over ties, NULL if there is no
-- closed form; `is_column`, whether it has a column where no measures are named; `options`, from name to rule: words, the
-- default first, or `a number ...`, perhaps `, with` another option that it needs. A text, as _ranking_known_measures.
CREATE OR REPLACE TEMP MACRO _ranking_options() AS
MEASURE_OPTIONS::MAP(VARCHAR, STRUCT(expected VARCHAR, is_column BOOLEAN, options MAP(VARCHAR, VARCHAR)));

-- The options that stand within parentheses, as name=value.
CREATE OR REPLACE TEMP MACRO _ranking_option_pairs(options) AS
list_filter(regexp_split_to_array(options, '[(),\s]+'), lambda pair: pair <> '');

-- Check an option by its rule; `pairs` and `names` are of all options that are given, `rules` of all that there are.
CREATE OR REPLACE TEMP MACRO _ranking_option_holds(rule, pair, pairs, names, rules) AS
coalesce(
    _ranking_value_holds(rule, regexp_extract(pair, '=(.*)$', 1), TRY_CAST(split_part(pair, '=', 2) AS DOUBLE))
    AND _ranking_goes_with(rule, pairs, names, rules),
    false);

CREATE OR REPLACE TEMP MACRO _ranking_value_holds(rule, value, number) AS
CASE
    WHEN NOT starts_with(rule, 'a number') THEN list_contains(string_split(rule, '|'), value)
    ELSE regexp_full_match(value, '[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?')
        AND isfinite(number)
        AND list_transform(
            [regexp_extract(
                rule, '^a number(?: (>=?) ([0-9]+))?(?: and)?(?: (<=?) ([0-9]+))?', ['above', 'low', 'below', 'high'])],
            lambda _ranking_bounds: (_ranking_bounds['above'] = '' OR number > TRY_CAST(_ranking_bounds['low'] AS DOUBLE)
                    OR _ranking_bounds['above'] = '>=' AND number = TRY_CAST(_ranking_bounds['low'] AS DOUBLE))
                AND (_ranking_bounds['below'] = '' OR number < TRY_CAST(_ranking_bounds['high'] AS DOUBLE)
                    OR _ranking_bounds['below'] = '<=' AND number = TRY_CAST(_ranking_bounds['high'] AS DOUBLE)))[1]
END;

-- Check that the other option that a rule asks for is given, or is the default.
CREATE OR REPLACE TEMP MACRO _ranking_goes_with(rule, pairs, names, rules) AS
NOT contains(rule, ', with ')
OR list_contains(pairs, split_part(rule, ', with ', 2))
OR NOT list_contains(names, regexp_extract(rule, ', with (\w+)', 1))
    AND starts_with(rules[regexp_extract(rule, ', with (\w+)', 1)], regexp_extract(rule, '=(\w+)$', 1) || '|');

-- The cut-offs, and at least those that measures name, as a text that _ranking_longest takes. Without regular expressions,
-- which take DuckDB long to plan.
CREATE OR REPLACE TEMP MACRO _ranking_all_ks(ks, measures) AS
concat_ws(
    ',',
    nullif(trim(ks::VARCHAR, '[]'), ''),
    _ranking_joined(
        list_filter(
            string_split(translate(measures::VARCHAR, '@''"[]', ',,,,,'), ','),
            lambda part: TRY_CAST(part AS DOUBLE) IS NOT NULL OR trim(part) = 'all'),
        ','));

-- Check that measures are names alone, as most are: then they are read in a sixth of the time.
CREATE OR REPLACE TEMP MACRO _ranking_are_plain(measures, usual) AS
regexp_full_match(
    coalesce(measures::VARCHAR, usual, ''), CASE WHEN typeof(measures) LIKE '%]' THEN '\[[\w ,-]+\]' ELSE '[\w ,-]*' END)
AND coalesce(length(measures::VARCHAR), 0) <= 10000;

-- The names of the registry of such measures; NULL where there is none of that name, and where all columns are asked for.
CREATE OR REPLACE TEMP MACRO _ranking_plain_names(measures, usual) AS
list_transform(
    string_split(trim(coalesce(measures::VARCHAR, usual), '[]'), ','),
    lambda name: _ranking_known_measure(trim(name))['measure']);

-- The error of measures that are none. Planned only where there is something wrong with them, but by DuckDB 1.4,
-- which plans a CTE that nobody reads.
CREATE OR REPLACE TEMP MACRO _ranking_measures_problem(measures, ties, caller) AS
coalesce(error(caller || ': ' || CASE
    WHEN NOT regexp_full_match(typeof(measures), '(VARCHAR|"NULL")(\[\d*\])?')
        THEN 'measures must be names of measures, as in [''ndcg'', ''recall@5''], got ' || _ranking_cut(typeof(measures))
    WHEN measures::VARCHAR IN ('[]', '')
        THEN 'measures must be one or more names of measures, got ' || _ranking_cut(measures::VARCHAR)
    WHEN length(measures::VARCHAR) > 10000
        THEN 'measures must be a text of at most 10000 characters, got ' || length(measures::VARCHAR)
    ELSE list_any_value(list_transform(
        _ranking_measure_texts(measures, NULL),
        lambda text: list_transform(
            list_transform(
                [_ranking_measure_parts(text)],
                lambda parts: {
                    'name': parts['name'],
                    'at': parts['at'],
                    'pairs': _ranking_option_pairs(parts['options']),
                    'measure': _ranking_known_measure(parts['name'])['measure']}),
            lambda parts: CASE
                WHEN NOT regexp_matches(text, '(?s)^\s*[^()@]*(\([^()]*\))?\s*(@.*)?$')
                    THEN concat('measure must be like ''ndcg(gain=linear)@5,10'', got ', _ranking_quoted(text))
                WHEN parts['measure'] IS NULL THEN concat(
                    'measure must be the name of a measure, got ', _ranking_quoted(parts['name']),
                    ' (FROM ranking_functions() lists them)')
                ELSE coalesce(
                    parts['measure'] || ': ' || _ranking_options_problem(
                        parts['pairs'],
                        list_transform(parts['pairs'], lambda pair: split_part(pair, '=', 1)),
                        _ranking_options()[parts['measure']]['options']),
                    list_any_value(list_transform(
                        string_split(parts['at'][2:], ','),
                        lambda k: CASE
                            WHEN parts['at'] <> '' AND NOT regexp_full_match(k, '\s*([0-9]+|all)\s*')
                                THEN 'cut-offs must be integers of 0 or more, or all, got ' || _ranking_quoted(trim(k)) END)),
                    CASE WHEN ties::VARCHAR = 'expected' AND _ranking_options()[parts['measure']]['expected'] IS NULL
                        THEN 'with ties := ''expected'' a measure must have an expected value in closed form (FROM '
                            || 'ranking_functions() lists measures), got ' || parts['measure'] END)
            END)[1]
    )) END)::VARCHAR, 'SELECT NULL');

CREATE OR REPLACE TEMP MACRO _ranking_quoted(text) AS
concat('''', _ranking_cut(text), '''');

CREATE OR REPLACE TEMP MACRO _ranking_options_problem(pairs, names, rules) AS
list_any_value(
    list_transform(pairs, lambda pair, i: CASE
        WHEN rules[names[i]] IS NULL OR NOT contains(pair, '=')
            THEN concat(
                'options must be name=value pairs (valid: ',
                coalesce(
                    _ranking_joined(
                        list_transform(
                            map_entries(rules),
                            lambda rule: rule['key'] || '=' || split_part(rule['value'], ', with ', 1)), ', '),
                    'none'),
                '), got ', _ranking_quoted(pair))
        WHEN list_position(names, names[i]) < i
            THEN concat('option ', names[i], ' must be given once, got ', _ranking_quoted(_ranking_joined(pairs, ' ')))
        WHEN NOT coalesce(_ranking_value_holds(
            rules[names[i]], regexp_extract(pair, '=(.*)$', 1), TRY_CAST(split_part(pair, '=', 2) AS DOUBLE)), false)
            THEN concat(
                'option ', names[i], ' must be ', split_part(rules[names[i]], ', with ', 1), ', got ',
                _ranking_quoted(regexp_extract(pair, '=(.*)$', 1)))
    END || ' (FROM ranking_functions() lists them)')
    || list_transform(names, lambda name: CASE
        WHEN NOT _ranking_goes_with(rules[name], pairs, names, rules)
            THEN concat(
                'option ', name, ' must go with ', split_part(rules[name], ', with ', 2),
                ', got it without (FROM ranking_functions() lists them)')
    END));
