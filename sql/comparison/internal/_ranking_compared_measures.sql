-- Internal: the measures that systems are compared by, or an error if one is no column of numbers.
--
-- columns:  LIST of STRUCT(name, type): the columns that there are
-- measures: LIST of their names, in whatever case; NULL for _ranking_default_measures() where there are such columns,
--           else for every column of numbers
-- caller:   the function that an error names
-- Returns:  LIST of STRUCT(measure (the column's name), value_place (among those of which _ranking_is_compared_column holds),
--           higher_is_better, is_share), none twice
-- Example:  SELECT _ranking_compared_measures([{'name': 'ndcg', 'type': 'DOUBLE'}], ['NDCG'], 'ranking_compare_by_user');
CREATE OR REPLACE TEMP MACRO _ranking_compared_measures(columns, measures, caller) AS (
    SELECT list_transform(
        CASE
            WHEN measures IS NOT NULL AND NOT regexp_full_match(typeof(measures), '(VARCHAR|"NULL")\[\d*\]')
                THEN error(concat(
                    caller, ': measures must be a list of names, as in [''ndcg'', ''recall''], got ',
                    _ranking_cut(typeof(measures))
                ))
            WHEN len(asked) = 0 AND measures IS NOT NULL
                THEN error(caller || ': measures must be a list of one or more names, got []')
            WHEN len(asked) = 0
                THEN error(caller || ': by_user must have a column of numbers to compare by, got none')
            ELSE list_filter(asked, lambda name, i: list_position(asked, name) = i)
        END,
        lambda name: CASE
            WHEN list_contains(numbers, name) THEN {
                'measure': there[list_position(names, name)].name,
                'value_place': list_position(positions, name),
                'higher_is_better': CASE
                    WHEN known[regexp_extract(name, '^[^(@]*')] IS NULL THEN true
                    ELSE known[regexp_extract(name, '^[^(@]*')].higher_is_better
                END,
                'is_share': coalesce(
                    known[regexp_extract(name, '^[^(@]*')].is_share,
                    there[list_position(names, name)].type = 'BOOLEAN'
                )
            }
            WHEN list_contains(neutral, name) THEN error(concat(
                caller, ': measures must say which of two systems is better, got ', name
            ))
            WHEN list_contains(names, name) THEN error(concat(
                caller, ': measures must name columns of numbers, got ', name, ', which is ',
                _ranking_cut(there[list_position(names, name)].type)
            ))
            ELSE error(concat(
                caller, ': measures must be names of columns of by_user (',
                _ranking_list_names(list_transform(there, lambda one: one.name)), '), got ', _ranking_list_names([name]),
                CASE
                    WHEN known[name] IS NOT NULL
                        AND coalesce(known[name].measure, known[name].higher_is_better::VARCHAR) IS NULL
                        THEN concat(
                            CASE
                                WHEN _ranking_is_contents_column(name, NULL, NULL) THEN ': ranking_overlap_by_user has it'
                                WHEN _ranking_is_contents_column(name, '', NULL)
                                    THEN ': ranking_beyond_accuracy_by_user has it, given history'
                                WHEN _ranking_is_contents_column(name, NULL, '')
                                    THEN ': ranking_beyond_accuracy_by_user has it, given items'
                                ELSE ': ranking_beyond_accuracy_by_user has it, given history and items'
                            END)
                    WHEN regexp_matches(name, '[@(]') THEN ': make it a column of by_user, by measures of ranking_by_user'
                    ELSE ' (did you mean ' || list_transform(
                        [list_max(list_transform(
                            numbers || list_filter(
                                map_keys(known), lambda one: list_contains(numbers, known[one].measure)
                            ),
                            lambda one: {'likeness': jaro_winkler_similarity(name, one), 'name': one}
                        ))],
                        lambda nearest: CASE
                            WHEN nearest.likeness > 0.75 THEN coalesce(known[nearest.name].measure, nearest.name)
                        END
                    )[1] || '?)'
                END
            ))
        END
    )
    FROM (
        SELECT
            *,
            CASE
                WHEN measures IS NOT NULL THEN list_transform(TRY_CAST(measures AS VARCHAR[]), lambda one: lower(trim(one)))
                WHEN list_has_any(numbers, string_split(_ranking_default_measures(), ','))
                    THEN list_filter(string_split(_ranking_default_measures(), ','), lambda one: list_contains(numbers, one))
                ELSE numbers
            END AS asked,
            list_filter(names, lambda one: _ranking_is_compared_column(one, TRY_CAST(measures AS VARCHAR[]))) AS positions
        FROM (
            SELECT
                *,
                list_transform(
                    list_filter(
                        there, lambda one: (_ranking_is_number(one.type) OR one.type = 'BOOLEAN') AND NOT list_contains(neutral, lower(one.name))
                    ),
                    lambda one: lower(one.name)
                ) AS numbers
            FROM (
                SELECT
                    there,
                    known,
                    list_transform(there, lambda one: lower(one.name)) AS names,
                    list_filter(
                        map_keys(known),
                        lambda one: known[one].higher_is_better IS NULL AND known[one].measure IS NOT NULL
                    ) AS neutral
                FROM (SELECT columns AS there, _ranking_known_measures() AS known)
            )
        )
    )
);
