-- Internal: by which measures systems are compared, and at which k. The texts' grammar, and the words of what is wrong
-- with them, are those of udfs/measures/grammar.py.
--
-- measures: LIST of texts such as 'ndcg(gain=linear)@5,10'; NULL for _ranking_usual_measures()
-- ks:       the cut-offs of those that name none
-- caller:   the function that an error names
-- Returns:  LIST of STRUCT(measure (with its options), name (without), options (MAP from name to value, as texts), cuts)
-- Example:  SELECT _ranking_choices(['ndcg(gain=linear)@5,10'], [20], 'ranking_compare');
CREATE OR REPLACE TEMP MACRO _ranking_choices(measures, ks, caller) AS (
    SELECT _ranking_united(choices)
    FROM (
        SELECT list(
            {
                'measure': name || CASE
                    WHEN len(given) > 0
                        THEN '(' || array_to_string(list_transform(given, lambda one: one.text), ',') || ')'
                    ELSE ''
                END,
                'name': name,
                'options': map_from_entries(list_transform(given, lambda one: (one.name, one.value))),
                'cuts': coalesce(_ranking_cuts_of(CASE WHEN contains(text, '@') THEN regexp_extract(text, '(?s)@(.*)', 1) END, caller), _ranking_cuts(ks, caller))
            }
            ORDER BY nth ASC
        ) AS choices
        FROM (
            SELECT
                * REPLACE (CASE
                    WHEN text IS NULL OR NOT regexp_full_match(text, '(?s)\s*[^()@]*(\([^()]*\)\s*)?(@.*)?') THEN error(concat(
                        caller, ': measure must be like ''ndcg(gain=linear)@5,10'', got ',
                        coalesce(_ranking_quoted(text), 'NULL')
                    ))
                    WHEN name IS NULL THEN error(concat(
                        caller, ': measure must be the name of a measure, got ',
                        _ranking_quoted(trim(regexp_extract(text, '^[^()@]*')))
                    ))
                    WHEN _ranking_better(name) = ''
                        THEN error(concat(caller, ': measure must say which of two systems is better, got ', name))
                    ELSE coalesce(
                        error(caller || ': ' || name || ': ' || list_any_value(list_transform(
                            given,
                            lambda one, i: _ranking_option_problem(given, i, _ranking_valid_options(name), options)
                        ))),
                        name
                    )
                END AS name)
            FROM (
                SELECT
                    nth,
                    text,
                    _ranking_spelled(_ranking_called(text)) AS name,
                    regexp_extract(text, '\(([^()]*)\)', 1) AS options,
                    list_transform(
                        regexp_extract_all(regexp_extract(text, '\(([^()]*)\)', 1), '[^,\s]+'),
                        lambda pair: {
                            'name': regexp_extract(pair, '^[^=]*'), 'value': regexp_extract(pair, '=(.*)', 1), 'text': pair
                        }
                    ) AS given
                FROM (
                    SELECT unnest(texts) AS text, generate_subscripts(texts, 1) AS nth
                    FROM (
                        SELECT CASE
                            WHEN measures IS NULL THEN _ranking_usual_measures()
                            WHEN NOT regexp_full_match(typeof(measures), '(VARCHAR|"NULL")\[\d*\]') THEN error(concat(
                                caller, ': measures must be a list of measures, got ', _ranking_cut(typeof(measures))
                            ))
                            WHEN len(TRY_CAST(measures AS VARCHAR[])) = 0
                                THEN error(caller || ': measures must be a list of one or more, got []')
                            ELSE TRY_CAST(measures AS VARCHAR[])
                        END AS texts
                    )
                )
            )
        )
    )
);
