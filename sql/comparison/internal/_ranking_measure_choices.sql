-- Internal: by which columns of a table with a row per user systems are compared, and at which k. Used by
-- ranking_compare_by_user.
--
-- by_user:  name of a table, as query_table takes it
-- measures: LIST of texts such as 'ndcg@5,10'; NULL for six of the field's where there are such columns, else for every
--           column of numbers
-- caller:   the function that an error names
-- Returns:  LIST of STRUCT(measure, place, cuts): the name of a column, where it stands among those of
--           _ranking_measure_columns, and a LIST of k, NULL for all that there are
-- Example:  SELECT _ranking_measure_choices('by_user', ['ndcg@5,10'], 'ranking_compare_by_user');
CREATE OR REPLACE TEMP MACRO _ranking_measure_choices(by_user, measures, caller) AS (
    SELECT list_transform(
        [{
            'names': list_transform(columns, lambda one: lower(one.name)),
            'numbers': list_transform(
                list_filter(columns, lambda one: _ranking_is_number(one.type) AND _ranking_better(lower(one.name)) <> ''),
                lambda one: lower(one.name)
            )
        }],
        lambda known: CASE
            WHEN measures IS NOT NULL AND typeof(measures) NOT IN ('VARCHAR[]', '"NULL"[]')
                AND NOT regexp_full_match(typeof(measures), 'VARCHAR\[\d+\]')
                THEN error(concat(caller, ': measures must be a list of names, got ', _ranking_cut(typeof(measures))))
            WHEN len(measures) = 0 THEN error(caller || ': measures must be a list of one or more names, got []')
            WHEN measures IS NULL AND len(known.numbers) = 0
                THEN error(caller || ': by_user must have a column of numbers to compare by, got none')
            ELSE _ranking_united(list_transform(
                CASE
                    WHEN measures IS NOT NULL THEN TRY_CAST(measures AS VARCHAR[])
                    WHEN list_has_any(known.numbers, _ranking_usual_measures())
                        THEN list_filter(_ranking_usual_measures(), lambda one: list_contains(known.numbers, one))
                    ELSE known.numbers
                END,
                lambda text: list_transform(
                    [coalesce(
                        list_position(known.names, lower(trim(text))),
                        list_position(known.names, lower(trim(regexp_replace(text, '@[^@]*$', ''))))
                    )],
                    lambda place: CASE
                        WHEN list_contains(known.numbers, known.names[place]) THEN {
                            'measure': columns[place].name,
                            'place': place,
                            'cuts': CASE
                                WHEN lower(trim(text)) <> known.names[place] THEN _ranking_cuts_of(text, caller)
                            END
                        }
                        WHEN _ranking_better(known.names[place]) = '' THEN error(concat(
                            caller, ': measures must say which of two systems is better, got ', columns[place].name
                        ))
                        WHEN place IS NOT NULL THEN error(concat(
                            caller, ': measures must name columns of numbers, got ', _ranking_named([columns[place].name]),
                            ', which is ', _ranking_cut(columns[place].type)
                        ))
                        ELSE error(concat(
                            caller, ': measures must name columns of by_user (',
                            _ranking_named(list_transform(there[:-2], lambda one: one.name)), '), got ', _ranking_named([text])
                        ))
                    END
                )[1]
            ))
        END
    )[1]
    FROM (
        SELECT
            _ranking_measure_columns(by_user, measures) AS columns, _ranking_measure_columns(by_user, NULL) AS there
    )
);
