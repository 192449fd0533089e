-- Internal: the error of measures that are none. Planned only where there is something wrong with them, but by DuckDB 1.4,
-- which plans a CTE that nobody reads.
--
-- measures: as for ranking_by_user
-- ties:     likewise
-- caller:   the function that the error names
-- Returns:  an error, or a query where nothing is wrong
-- Example:  SELECT _ranking_measures_problem('ndgc', 'item', 'ranking_by_user');
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
                    'measure': _ranking_known_measure(parts['name'])['measure']
                }),
            lambda parts: CASE
                WHEN NOT regexp_matches(text, '(?s)^\s*[^()@]*(\([^()]*\))?\s*(@.*)?$')
                    THEN concat('measure must be like ''ndcg(gain=linear)@5,10'', got ', _ranking_quoted(text))
                WHEN parts['measure'] IS NULL THEN concat(
                    'measure must be the name of a measure, got ', _ranking_quoted(parts['name']),
                    _ranking_measure_hint(lower(parts['name']), _ranking_known_measures()))
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

-- A hint for a name that no measure has.
CREATE OR REPLACE TEMP MACRO _ranking_measure_hint(name, known) AS
CASE
    WHEN known[name]['higher_is_better'] IS NOT NULL THEN ' (for ranking_compare_by_user)'
    WHEN known[name]['is_share'] IS NULL
        THEN list_transform(
            [list_max(list_transform(
                list_filter(map_keys(known), lambda one: known[one]['measure'] IS NOT NULL),
                lambda one: {'likeness': jaro_winkler_similarity(name, one), 'name': one}))],
            lambda nearest: concat(
                ' (', CASE WHEN nearest['likeness'] > 0.75 THEN 'did you mean ' || nearest['name'] || '? ' END,
                'FROM ranking_functions() lists them)')
        )[1]
    WHEN name IN ('overlap', 'jaccard', 'rbo', 'same_first', 'same_list') THEN ' (ranking_overlap_by_user has it)'
    ELSE ' (ranking_beyond_accuracy_by_user has it)'
END;

CREATE OR REPLACE TEMP MACRO _ranking_options_problem(pairs, names, rules) AS
list_any_value(
    list_transform(pairs, lambda pair, i: CASE
        WHEN rules[names[i]] IS NULL OR NOT contains(pair, '=')
            THEN concat(
                'options must be name=value pairs (valid: ',
                coalesce(
                    nullif(array_to_string(
                        list_transform(
                            map_entries(rules),
                            lambda rule: rule['key'] || '=' || split_part(rule['value'], ', with ', 1)), ', '), ''),
                    'none'),
                '), got ', _ranking_quoted(pair))
        WHEN list_position(names, names[i]) < i
            THEN concat('option ', names[i], ' must be given once, got ', _ranking_quoted(array_to_string(pairs, ' ')))
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
    END)
);
