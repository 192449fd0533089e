-- Checks the arguments of calls that compare systems, and makes what the templates need of them, for clients without Python.
CREATE OR REPLACE TEMP MACRO _ranking_compare_call(
    caller, rec, truth, ks, baseline, measures, confidence, margin, correction, test, permutations, seed,
    COLUMN_ARGUMENTS, JUDGING_ARGUMENTS, ties := 'item', predicted_truth := NULL, steps := false) AS
struct_insert(
    _ranking_call(caller, rec, truth, ks, NULL, measures, COMPARED_MEASURES, ties, 'k', COLUMN_NAMES, JUDGING),
    tests := _ranking_tests(
        baseline, confidence, margin, correction, test, permutations, seed,
        coalesce(
            _ranking_without_python('predicted_truth', predicted_truth), _ranking_without_python('steps', nullif(steps, false))),
        caller));

CREATE OR REPLACE TEMP MACRO _ranking_compare_by_user_call(
    caller, by_user, baseline, measures, confidence, margin, correction, test, permutations, seed, lower_is_better, predicted,
    steps := false) AS
{
    'caller': caller,
    'by_user': _ranking_own_table('by_user', by_user, caller),
    'is_compared': CASE
        WHEN measures IS NULL THEN _ranking_sql('NOT _ranking_is_key(c)')
        WHEN NOT regexp_full_match(typeof(measures), '(VARCHAR|"NULL")\[\d*\]')
            THEN error(concat(
                caller, ': measures must be a list of names, as in [''ndcg'', ''recall''], got ', _ranking_cut(typeof(measures))))
        WHEN len(TRY_CAST(measures AS VARCHAR[])) = 0
            THEN error(caller || ': measures must be a list of one or more names, got []')
        ELSE concat(
            'lower(c) IN (',
            _ranking_joined(
                list_transform(TRY_CAST(measures AS VARCHAR[]), lambda one: coalesce(_ranking_literal(lower(trim(one))), 'NULL')),
                ', '),
            ')')
    END,
    'chosen': concat(
        '{''problem'': NULL::VARCHAR, ''measures'': ',
        _ranking_sql('_ranking_compared_measures(_ranking_measure_columns({by_user}), {measures}, {lower_is_better})'), '}'),
    'tests': _ranking_tests(
        baseline, confidence, margin, correction, test, permutations, seed,
        coalesce(_ranking_without_python('predicted', predicted), _ranking_without_python('steps', nullif(steps, false))),
        caller)};

CREATE OR REPLACE TEMP MACRO _ranking_gate_call(caller, comparison, confidence, correction, margin) AS
{
    'caller': caller,
    'comparison': _ranking_table('comparison', comparison),
    'tests': _ranking_tests(NULL, confidence, margin, correction, 't', 1, 0, NULL, caller)};

-- The options of a comparison as SQL, or an error.
CREATE OR REPLACE TEMP MACRO _ranking_tests(
    baseline, confidence, margin, correction, test, permutations, seed, problem, caller) AS
CASE
    WHEN _ranking_compare_options(confidence, margin, correction, test, permutations, seed, caller)
        AND _ranking_no_problem(
            caller,
            coalesce(
                problem,
                CASE WHEN test::VARCHAR = 'randomization'
                    THEN 'test must be t where the Python package is not, got randomization' END))
        THEN {
            'alpha': _ranking_alpha(confidence)::VARCHAR || '::DOUBLE',
            'has_margin': margin IS NOT NULL,
            'margin': TRY_CAST(margin AS DOUBLE)::VARCHAR || '::DOUBLE',
            'correction': correction::VARCHAR,
            'has_baseline': baseline IS NOT NULL,
            'baseline': baseline::VARCHAR,
            'baseline_in_errors': _ranking_list_names([baseline])}
END;

-- The error text for a table of predicted grades or values: only the Python package reads them.
CREATE OR REPLACE TEMP MACRO _ranking_without_python(argument, given) AS
argument || ' must be NULL where the Python package is not, got '
|| CASE WHEN given IS NOT NULL THEN _ranking_cut(given::VARCHAR) END
|| ': use ranking_udfs.register, or ranking-udfs compare --predicted-truth';

-- The measures by which to compare systems, or an error if one is not a numeric column.
CREATE OR REPLACE TEMP MACRO _ranking_compared_measures(columns, measures, lower_is_better) AS (
    SELECT list_transform(
        CASE
            WHEN len(asked) = 0
                THEN error('ranking.compare_by_user: by_user must have a column of numbers to compare by, got none')
            WHEN lower_is_better IS NOT NULL AND NOT coalesce(list_has_all(names, lowered), false)
                THEN error(concat(
                    'ranking.compare_by_user: lower_is_better must be a list of columns of by_user, got ',
                    _ranking_cut(lower_is_better::VARCHAR)))
            ELSE list_filter(asked, lambda name, i: list_position(asked, name) = i)
        END,
        lambda name: CASE
            WHEN list_contains(numbers, name) THEN {
                'measure': there[list_position(names, name)].name,
                'value_place': list_position(positions, name),
                'higher_is_better': CASE
                    WHEN list_contains(lowered, name) THEN false
                    WHEN known[regexp_extract(name, '^[^(@]*')] IS NULL THEN true
                    ELSE known[regexp_extract(name, '^[^(@]*')].higher_is_better
                END,
                'is_share': coalesce(
                    known[regexp_extract(name, '^[^(@]*')].is_share,
                    there[list_position(names, name)].type = 'BOOLEAN'),
                'seems_lower_is_better': regexp_matches(name, LOWER_NAMES)}
            WHEN list_contains(neutral, name) THEN error(concat(
                'ranking.compare_by_user: measures must say which of two systems is better, got ', name))
            WHEN list_contains(names, name) THEN error(concat(
                'ranking.compare_by_user: measures must name columns of numbers, got ', name, ', which is ',
                _ranking_cut(there[list_position(names, name)].type)))
            ELSE error(concat(
                'ranking.compare_by_user: measures must be names of columns of by_user (',
                _ranking_list_names(list_transform(there, lambda one: one.name)), '), got ', _ranking_list_names([name]),
                CASE
                    WHEN regexp_matches(name, '[@(]') THEN ': make it a column of by_user, by measures of ranking.by_user'
                END))
        END)
    FROM (
        SELECT
            *,
            CASE
                WHEN measures IS NOT NULL THEN list_transform(TRY_CAST(measures AS VARCHAR[]), lambda one: lower(trim(one)))
                WHEN list_has_any(numbers, string_split(COMPARED_MEASURES, ','))
                    THEN list_filter(string_split(COMPARED_MEASURES, ','), lambda one: list_contains(numbers, one))
                ELSE numbers
            END AS asked,
            list_filter(
                names,
                lambda one: measures IS NULL OR list_contains(
                    list_transform(TRY_CAST(measures AS VARCHAR[]), lambda name: lower(trim(name))), one)) AS positions
        FROM (
            SELECT
                *,
                list_transform(
                    list_filter(
                        there,
                        lambda one: (_ranking_is_number(one.type) OR one.type = 'BOOLEAN')
                            AND NOT list_contains(neutral, lower(one.name))),
                    lambda one: lower(one.name)) AS numbers
            FROM (
                SELECT
                    there,
                    known,
                    list_transform(there, lambda one: lower(one.name)) AS names,
                    list_transform(TRY_CAST(lower_is_better AS VARCHAR[]), lambda one: lower(trim(one))) AS lowered,
                    list_filter(
                        map_keys(known),
                        lambda one: known[one].higher_is_better IS NULL AND known[one].measure IS NOT NULL
                            AND NOT coalesce(list_contains(lowered, one), false)
                    ) AS neutral
                FROM (SELECT columns AS there, _ranking_known_measures() AS known))))
);

-- The columns of a table with a row per user, without its keys.
CREATE OR REPLACE TEMP MACRO _ranking_measure_columns(rows) AS (
    SELECT list_transform(columns[:-2], lambda one: {'name': one[1], 'type': one[2]})
    FROM (
        SELECT list_value(*COLUMNS(*)) AS columns
        FROM (
            SELECT [alias(COLUMNS(*)), typeof(COLUMNS(*))]
            FROM (
                SELECT COLUMNS(lambda c: c = 'ranking_absent' OR NOT _ranking_is_key(c))
                FROM (SELECT 1 AS userid)
                LEFT JOIN (SELECT *, '' AS ranking_absent FROM query_table(rows) AS rows_of WHERE false) ON true)))
);
