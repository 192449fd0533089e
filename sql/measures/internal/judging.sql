-- The different items of a list, without NULL. DuckDB's list_distinct takes longer, and 1.5 keeps NaNs apart.
CREATE OR REPLACE TEMP MACRO _ranking_distinct_items(ordered) AS
list_filter(ordered, lambda item, place: item IS DISTINCT FROM ordered[place - 1]);

-- The places of a list at which an item stands for the first time; NULL is none. In a long list, to look for each would
-- take too long.
CREATE OR REPLACE TEMP MACRO _ranking_first_places(items) AS
CASE
    -- As in _ranking_has_repeats.
    WHEN len(items) <= 128
        THEN list_filter(
            list_transform(items, lambda item, place: CASE WHEN list_position(items, item) = place THEN place::INTEGER END),
            lambda place: items[place] IS NOT NULL)
    ELSE list_transform(
        [list_sort(list_transform(items, lambda item, place: (item, place::INTEGER)), 'ASC')],
        lambda ordered: list_sort(
            list_transform(
                list_filter(
                    ordered, lambda one, i: one[1] IS NOT NULL AND one[1] IS DISTINCT FROM ordered[i - 1][1]),
                lambda one: one[2]),
            'ASC'))[1]
END;

-- The items of one list that are in another: the first occurrence of each, in the order of the list.
--
-- Few items are looked for in a long list, each item of a short list among few. Among more, what both hold is found by
-- hashing, and then looked for in the list; where that is much as well, both are sorted together, and an item that is
-- known follows itself.
CREATE OR REPLACE TEMP MACRO _ranking_found_items(listed, items) AS
CASE
    WHEN 5 * len(items) <= len(listed) AND len(items) <= 50 THEN list_sort(
        list_filter(
            list_transform(items, lambda item, place: (list_position(listed, item)::INTEGER, place::INTEGER)),
            lambda places: places[1] > 0),
        'ASC')
    WHEN len(listed) * len(items) <= 50 * (len(listed) + len(items)) THEN list_transform(
        list_filter(
            list_filter(
                list_transform(listed, lambda item, place: CASE WHEN list_contains(items, item) THEN place::INTEGER END),
                lambda place: place IS NOT NULL),
            lambda place: list_position(listed, listed[place]) = place),
        lambda place: (place, list_position(items, listed[place])::INTEGER))
    ELSE list_transform([list_intersect(listed, items)], lambda common: CASE
        WHEN len(common) <= 3000 THEN _ranking_found_each(common, listed, items)
        ELSE list_transform(
            [list_sort(
                list_transform(listed, lambda item, place: (item, place::INTEGER, 0::INTEGER))
                || list_transform(items, lambda item, place: (item, 0::INTEGER, place::INTEGER)),
                'ASC')],
            lambda merged: list_sort(
                list_filter(
                    list_transform(merged, lambda one, i: CASE
                        WHEN one[2] > 0 AND merged[i - 1][3] > 0 AND one[1] = merged[i - 1][1]
                            THEN (one[2], merged[i - 1][3])
                    END),
                    lambda one: one IS NOT NULL),
                'ASC'))[1]
    END)[1]
END;

-- The places of items that are in both.
CREATE OR REPLACE TEMP MACRO _ranking_found_each(common, listed, items) AS
list_sort(
    list_transform(common, lambda item: (list_position(listed, item)::INTEGER, list_position(items, item)::INTEGER)), 'ASC');

-- Return true, or an error if the items of two lists are of types that cannot be compared.
CREATE OR REPLACE TEMP MACRO _ranking_items_fit(rec, truth) AS
CASE
    WHEN _ranking_same_type(typeof(coalesce(rec, [])[1]), typeof(coalesce(truth, [])[1])) THEN true
    ELSE error(concat(
        'ranking_judge: rec and truth must hold items of the same type, got ', _ranking_cut(typeof(rec[1])), ' and ',
        _ranking_cut(typeof(truth[1]))))::BOOLEAN
END;

-- A judged ranking, made of the places of the items that were found in a list.
CREATE OR REPLACE TEMP MACRO _ranking_judgement(found, size, n_items, grades, cutoff) AS
{
    'ranks': list_transform(found, lambda places: places[1]::INTEGER),
    'grades': list_transform(
        found, lambda places: CASE WHEN grades IS NULL THEN 1::DOUBLE ELSE (grades::DOUBLE[])[places[2]] END),
    'ideal': coalesce(list_sort(grades::DOUBLE[], 'DESC'), list_transform(range(n_items), lambda place: 1::DOUBLE)),
    'size': size::INTEGER,
    'cutoff': cutoff::INTEGER};
