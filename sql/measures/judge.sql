-- Builds a judged ranking from lists of items: the ranks with a judged item, and their grades.
--
-- rec:      LIST of items, best first. NULL is an empty list. A repeated item and a NULL are misses.
-- truth: LIST of the relevant items, or with grades of all judged items. A repeated item counts once, with its
--             highest grade; NULLs are ignored. Items must have the type of those in rec, even if one list is empty or
--             NULL; write [] without a type, or rec::VARCHAR[]. Integers of any width match, as do VARCHAR and ENUM. Cast
--             a UUID to match a VARCHAR.
-- grades: LIST of the grade of each item in truth, as finite numbers; without it, every grade is 1. Items of grade 0
--             or less are judged but not relevant. For a MAP from item to grade, pass map_keys(m) and map_values(m).
-- unjudged: items in rec without a judgment in truth, only with grades. 'miss' (default): they count as non-relevant
--             and keep their rank. 'skip': they are removed, with NULLs and repeated items.
-- Returns:    STRUCT(ranks INTEGER[], grades DOUBLE[], ideal DOUBLE[], size INTEGER, cutoff INTEGER); NULL if truth is
--             NULL.
--             `ranks`: ranks of judged items, from 1.
--             `grades`: their grades.
--             `ideal`: the grades of all items in truth, descending.
--             `size`: length of rec.
--             `cutoff`: NULL, since all of rec is used.
-- Errors:     Items of different types in rec and truth. A number of grades that differs from that of items in truth. A
--             grade that is NULL, NaN or infinite.
-- Source:   Sakai (2007), "Alternatives to Bpref", for condensed lists
-- Example:  SELECT ranking.judge(['a', 'b', 'c'], ['c', 'a', 'd'], [1, 3, 2]);
--           -- {'ranks': [1, 3], 'grades': [3.0, 1.0], 'ideal': [3.0, 2.0, 1.0], 'size': 3, 'cutoff': NULL}
{% from "measures/internal/found.jinja" import family, found_items %}
{% from "measures/internal/rules.jinja" import cut, shown %}
{% macro fit() %}
WHEN {{ family("typeof(coalesce(rec, [])[1])") }} <> {{ family("typeof(coalesce(truth, [])[1])") }}
                AND '"NULL"' NOT IN (typeof(coalesce(rec, [])[1]), typeof(coalesce(truth, [])[1]))
                THEN error(concat(
                    'ranking.judge: rec and truth must hold items of the same type, got ', {{ cut("typeof(rec[1])") }}, ' and ',
                    {{ cut("typeof(truth[1])") }}))
{%- endmacro %}
CREATE OR REPLACE MACRO ranking.judge
    (rec, truth) AS
        CASE
            {{ fit() }}
            ELSE list_transform(
                list_transform(
                    list_transform(
                        CASE WHEN truth IS NOT NULL THEN [list_sort(coalesce(truth, []), 'ASC', 'NULLS FIRST')] END,
                        lambda ordered: {
                            'listed': coalesce(rec, []),
                            'items': list_filter(ordered, lambda item, place: item IS DISTINCT FROM ordered[place - 1])}),
                    lambda given: {
                        'found': {{ found_items("given.listed", "given.items") | indent(24) }},
                        'listed': len(given.listed), 'items': len(given.items)}),
                lambda given: {
                    'ranks': list_transform(given.found, lambda places: places[1]::INTEGER),
                    'grades': list_transform(given.found, lambda places: 1::DOUBLE),
                    'ideal': list_transform(range(given.items), lambda place: 1::DOUBLE),
                    'size': given.listed::INTEGER,
                    'cutoff': NULL::INTEGER})[1]
        END::STRUCT(ranks INTEGER[], grades DOUBLE[], ideal DOUBLE[], size INTEGER, cutoff INTEGER),

    (rec, truth, grades, unjudged := 'miss') AS
        CASE
            {{ fit() }}
            WHEN len(truth) <> coalesce(len(grades), 0)
                THEN error(concat(
                    'ranking.judge: grades must be as many as the items of truth, ', len(truth), ', got ',
                    coalesce(len(grades), 0)))
            WHEN unjudged::VARCHAR IN ('miss', 'skip') IS NOT TRUE
                THEN error('ranking.judge: unjudged must be miss|skip, got ' || {{ shown("unjudged") }})
            ELSE list_transform(
                list_transform(
                    list_transform(
                        list_transform(
                            -- In this order, a repeated item of truth follows itself with a higher grade.
                            CASE WHEN truth IS NOT NULL THEN [list_sort(
                                list_transform(
                                    list_filter(list_zip(coalesce(truth, []), coalesce(grades, [])), lambda one: one[1] IS NOT NULL),
                                    lambda one: (one[1], CASE
                                        WHEN isfinite(CAST(one[2] AS DOUBLE)) THEN CAST(one[2] AS DOUBLE)
                                        ELSE error(
                                            'ranking.judge: a grade must be a finite number, got '
                                            || coalesce(one[2]::VARCHAR, 'NULL'))
                                    END)),
                                'ASC')] END,
                            lambda known: list_filter(known, lambda one, i: known[i + 1][1] IS DISTINCT FROM one[1])),
                        lambda known: {
                            'listed': coalesce(rec, []),
                            'items': list_transform(known, lambda one: one[1]),
                            'grades': list_transform(known, lambda one: one[2])}),
                    lambda given: {
                        'found': {{ found_items("given.listed", "given.items") | indent(24) }},
                        'listed': len(given.listed), 'grades': given.grades}),
                lambda given: {
                    'ranks': list_transform(given.found, lambda places, rank: CASE
                        WHEN unjudged::VARCHAR = 'skip' THEN rank ELSE places[1] END::INTEGER),
                    'grades': list_transform(given.found, lambda places: given.grades[places[2]]),
                    'ideal': list_sort(given.grades, 'DESC'),
                    'size': CASE WHEN unjudged::VARCHAR = 'skip' THEN len(given.found) ELSE given.listed END::INTEGER,
                    'cutoff': NULL::INTEGER})[1]
        END::STRUCT(ranks INTEGER[], grades DOUBLE[], ideal DOUBLE[], size INTEGER, cutoff INTEGER);
