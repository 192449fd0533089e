-- Internal: a list judged by what is known of its items.
--
-- listed:  LIST of items, best first; not NULL
-- items:   LIST of truth's items, of a type that can be compared with theirs
-- grades:  LIST of the grade of each, or NULL where all are relevant
-- cutoff:  the rank at which the list was cut; NULL where it was not
-- Returns: a judged ranking; NULL where items is NULL
-- Example: SELECT _ranking_judgement(['a', 'b'], ['b'], NULL, NULL);
CREATE OR REPLACE TEMP MACRO _ranking_judgement(listed, items, grades, cutoff) AS
list_transform(
    list_transform(
        CASE WHEN items IS NOT NULL THEN [{
            'listed': listed, 'items': items, 'grades': grades::DOUBLE[], 'cutoff': cutoff::INTEGER}] END,
        lambda given: {
            'ranks': list_filter(
                list_transform(
                    given.listed,
                    lambda item, rank: CASE
                        WHEN list_contains(given.items, item) AND list_position(given.listed, item) = rank THEN rank
                    END),
                lambda rank: rank IS NOT NULL),
            'known': list_transform(
                list_filter(
                    given.items,
                    lambda item, place: item IS NOT NULL AND list_position(given.items, item) = place),
                lambda item: {
                    'item': item,
                    'grade': CASE
                        WHEN given.grades IS NULL THEN 1
                        ELSE list_max(list_filter(given.grades, lambda grade, place: given.items[place] = item))
                    END}),
            'listed': given.listed,
            'cutoff': given.cutoff}),
    lambda found: {
        'ranks': found.ranks::INTEGER[],
        'grades': list_transform(
            found.ranks,
            lambda rank: list_filter(found.known, lambda one: one.item = found.listed[rank])[1].grade)::DOUBLE[],
        'ideal': list_reverse_sort(list_transform(found.known, lambda one: one.grade))::DOUBLE[],
        'size': len(found.listed)::INTEGER,
        'cutoff': found.cutoff})[1];
