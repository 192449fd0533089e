-- Internal: what is wrong with one of the options of a measure, in the words of udfs/measures/grammar.py.
--
-- given:   LIST of STRUCT(name, value, text) of the options that a text gives
-- nth:     which of them to look at
-- known:   as _ranking_valid_options gives it
-- text:    that of the options
-- Returns: VARCHAR; NULL if all is well
-- Example: SELECT _ranking_option_problem(
--     [{'name': 'gain', 'value': 'x', 'text': 'gain=x'}], 1, _ranking_valid_options('ndcg'), 'gain=x');
CREATE OR REPLACE TEMP MACRO _ranking_option_problem(given, nth, known, text) AS
list_transform(
    [list_filter(coalesce(known, []), lambda one: one.name = given[nth].name)[1]],
    lambda rule: CASE
        WHEN rule IS NULL OR NOT contains(given[nth].text, '=') THEN concat(
            'options must be name=value pairs (valid: ',
            coalesce(array_to_string(list_transform(known, lambda one: one.name || '=' || one.rule), ', '), 'none'),
            '), got ', _ranking_quoted(given[nth].text)
        )
        WHEN list_position(list_transform(given, lambda one: one.name), rule.name) < nth
            THEN concat('option ', rule.name, ' must be given once, got ', _ranking_quoted(text))
        WHEN NOT CASE
            WHEN rule.words IS NOT NULL THEN list_contains(rule.words, given[nth].value)
            ELSE regexp_full_match(given[nth].value, '[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?')
                AND coalesce(isfinite(TRY_CAST(given[nth].value AS DOUBLE)), false)
                AND coalesce(TRY_CAST(given[nth].value AS DOUBLE) >= rule.bounds[1], false)
                AND coalesce(TRY_CAST(given[nth].value AS DOUBLE) > rule.bounds[2], false)
                AND coalesce(TRY_CAST(given[nth].value AS DOUBLE) <= rule.bounds[3], false)
                AND coalesce(TRY_CAST(given[nth].value AS DOUBLE) < rule.bounds[4], false)
        END
            THEN concat('option ', rule.name, ' must be ', rule.rule, ', got ', _ranking_quoted(given[nth].value))
        WHEN rule.needs IS NOT NULL AND rule.needed <> coalesce(
            list_filter(given, lambda one: one.name = rule.needs)[1].value,
            list_filter(known, lambda one: one.name = rule.needs)[1].words[1]
        ) THEN concat(
            'option ', rule.name, ' must go with ', rule.needs, '=', rule.needed, ', got it with ', rule.needs, '=',
            coalesce(
                list_filter(given, lambda one: one.name = rule.needs)[1].value,
                list_filter(known, lambda one: one.name = rule.needs)[1].words[1]
            )
        )
    END
)[1];
