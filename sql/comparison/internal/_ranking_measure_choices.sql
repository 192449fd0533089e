-- Internal: by which columns of a table with a row per user systems are compared, and at which k.
--
-- by_user:  name of a table, as query_table takes it
-- measures: LIST of texts such as 'ndcg@5,10'; NULL for six of the field's where there are such columns, else for every
--           column of numbers
-- caller:   the function that an error names
-- Returns:  LIST of STRUCT(measure, place, cuts): the name of a column, where it stands among those
--           for which _ranking_is_measure holds, and a LIST of k, NULL for all that there are
-- Example:  SELECT _ranking_measure_choices('by_user', ['ndcg@5,10'], 'ranking_compare_by_user');
CREATE OR REPLACE TEMP MACRO _ranking_measure_choices(by_user, measures, caller) AS (
    SELECT _ranking_united(choices)
    FROM (
        SELECT list_transform(
            CASE
                WHEN measures IS NOT NULL AND NOT regexp_full_match(typeof(measures), '(VARCHAR|"NULL")\[\d*\]')
                    THEN error(concat(caller, ': measures must be a list of names, got ', _ranking_cut(typeof(measures))))
                WHEN len(TRY_CAST(measures AS VARCHAR[])) = 0
                    THEN error(caller || ': measures must be a list of one or more names, got []')
                WHEN measures IS NOT NULL THEN TRY_CAST(measures AS VARCHAR[])
                WHEN len(numbers) = 0
                    THEN error(caller || ': by_user must have a column of numbers to compare by, got none')
                WHEN list_has_any(numbers, _ranking_usual_measures())
                    THEN list_filter(_ranking_usual_measures(), lambda one: list_contains(numbers, one))
                ELSE numbers
            END,
            lambda text: list_transform(
                [coalesce(
                    list_position(names, lower(trim(text))),
                    list_position(names, lower(trim(regexp_replace(text, '@[^@]*$', ''))))
                )],
                lambda place: CASE
                    WHEN list_contains(numbers, names[place]) THEN {
                        'measure': columns[place].name,
                        'place': place,
                        'cuts': _ranking_cuts_of(
                            CASE WHEN lower(trim(text)) <> names[place] THEN regexp_extract(text, '@([^@]*)$', 1) END,
                            caller
                        )
                    }
                    WHEN place IS NULL THEN error(concat(
                        caller, ': measures must name columns of by_user (',
                        _ranking_named(list_transform(there, lambda one: one.name)), '), got ', _ranking_named([text])
                    ))
                    WHEN _ranking_better(names[place]) = '' THEN error(concat(
                        caller, ': measures must say which of two systems is better, got ', columns[place].name
                    ))
                    ELSE error(concat(
                        caller, ': measures must name columns of numbers, got ', _ranking_named([columns[place].name]),
                        ', which is ', _ranking_cut(columns[place].type)
                    ))
                END
            )[1]
        ) AS choices
        FROM (
            SELECT
                there,
                columns,
                list_transform(columns, lambda one: lower(one.name)) AS names,
                list_transform(
                    list_filter(
                        columns, lambda one: _ranking_is_number(one.type) AND _ranking_better(lower(one.name)) <> ''
                    ),
                    lambda one: lower(one.name)
                ) AS numbers
            FROM (
                SELECT there, list_filter(there, lambda one: _ranking_is_measure(one.name, measures)) AS columns
                FROM (SELECT _ranking_measure_columns(by_user) AS there)
            )
        )
    )
);
