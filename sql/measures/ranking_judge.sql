-- A judged ranking, made of lists of items: which ranks hold an item that truth knows.
--
-- rec:      LIST of items, best first; NULL for an empty one. An item twice in it is a miss the second time, NULL is
--           always one.
-- truth:    LIST of the relevant items, or of all that were judged if there are grades. An item twice in it counts once,
--           with its highest grade, NULL not at all. Integers of any width match each other, and so do VARCHAR and
--           ENUM; other items must be of the same type in rec and in truth (cast a UUID beside text), also where one of
--           the two is empty or NULL: write [] without a type, or that of the other, rec::VARCHAR[].
-- grades:   LIST of the grade of each item of truth, finite numbers; items of grade 0 or less are judged, but not
--           relevant. Without it, every grade is 1. Of a MAP from item to grade: map_keys(m), map_values(m).
-- unjudged: with grades alone, 'miss': each item of rec that truth does not have takes up a rank; 'skip': they are left
--           out, NULLs and repeated items with them, and the ranks closed up (condensed lists)
-- Returns:  STRUCT(ranks INTEGER[], grades DOUBLE[], ideal DOUBLE[], size INTEGER, cutoff INTEGER): the ranks of the
--           items that truth knows, their grades, the grades of all truth items in descending order, the length of rec,
--           and NULL, since all of rec was looked at; NULL where truth is NULL
-- Errors:   items of different types in rec and truth; grades that are not as many as the items of truth; a grade that is
--           NULL, NaN or infinite; an unjudged that is neither
-- Source:   Sakai (2007), "Alternatives to Bpref", for condensed lists
-- Example:  SELECT ranking_judge(['a', 'b', 'c'], ['c', 'a', 'd'], [1, 3, 2]);
--           -- {'ranks': [1, 3], 'grades': [3.0, 1.0], 'ideal': [3.0, 2.0, 1.0], 'size': 3, 'cutoff': NULL}
CREATE OR REPLACE TEMP MACRO ranking_judge
    (rec, truth) AS
        CASE
            WHEN NOT _ranking_items_fit(rec, truth) THEN NULL
            ELSE list_transform(
                list_transform(
                    CASE WHEN truth IS NOT NULL THEN [list_sort(coalesce(truth, []), 'ASC', 'NULLS FIRST')] END,
                    lambda ordered: {'listed': coalesce(rec, []), 'items': _ranking_distinct_items(ordered)}),
                lambda given: _ranking_judgement(
                    _ranking_found_items(given.listed, given.items), len(given.listed), len(given.items), NULL, NULL))[1]
        END::STRUCT(ranks INTEGER[], grades DOUBLE[], ideal DOUBLE[], size INTEGER, cutoff INTEGER),

    (rec, truth, grades, unjudged := 'miss') AS
        CASE
            WHEN NOT _ranking_items_fit(rec, truth) THEN NULL
            WHEN len(truth) <> coalesce(len(grades), 0)
                THEN error(concat(
                    'ranking_judge: grades must be as many as the items of truth, ', len(truth), ', got ',
                    coalesce(len(grades), 0)))
            WHEN unjudged::VARCHAR IN ('miss', 'skip') IS NOT TRUE
                THEN error('ranking_judge: ' || _ranking_option('unjudged', unjudged, 'miss|skip', false))
            ELSE list_transform(
                list_transform(
                    -- In order, an item of truth is followed by itself where it is there with a higher grade.
                    CASE WHEN truth IS NOT NULL THEN [list_sort(
                        list_transform(
                            list_filter(list_zip(coalesce(truth, []), coalesce(grades, [])), lambda one: one[1] IS NOT NULL),
                            lambda one: (one[1], CASE
                                WHEN isfinite(CAST(one[2] AS DOUBLE)) THEN CAST(one[2] AS DOUBLE)
                                ELSE error(
                                    'ranking_judge: a grade must be a finite number, got '
                                    || coalesce(one[2]::VARCHAR, 'NULL'))
                            END)),
                        'ASC')] END,
                    lambda known: list_filter(known, lambda one, i: known[i + 1][1] IS DISTINCT FROM one[1])),
                lambda known: list_transform(
                    [{
                        'listed': coalesce(rec, []),
                        'items': list_transform(known, lambda one: one[1]),
                        'grades': list_transform(known, lambda one: one[2])}],
                    lambda given: list_transform(
                        [_ranking_found_items(given.listed, given.items)],
                        lambda found: _ranking_judgement(
                            CASE
                                WHEN unjudged::VARCHAR = 'skip'
                                    THEN list_transform(found, lambda places, rank: (rank, places[2]))
                                ELSE found
                            END,
                            CASE WHEN unjudged::VARCHAR = 'skip' THEN len(found) ELSE len(given.listed) END,
                            len(given.items),
                            given.grades,
                            NULL))[1])[1])[1]
        END::STRUCT(ranks INTEGER[], grades DOUBLE[], ideal DOUBLE[], size INTEGER, cutoff INTEGER);
