-- Internal: a judged ranking, made of the places of the items that were found in a list.
--
-- found:   what _ranking_found_items gives: places in the list, and places among the items of truth
-- size:    the length of the list
-- n_items: how many different items truth has
-- grades:  LIST of their grades, DOUBLEs; NULL if all are 1
-- cutoff:  how far the list was looked at; NULL for all of it
-- Returns: STRUCT(ranks INTEGER[], grades DOUBLE[], ideal DOUBLE[], size INTEGER, cutoff INTEGER)
-- Example: SELECT _ranking_judgement([(1, 2), (3, 1)], 4, 3, NULL, NULL);
CREATE OR REPLACE TEMP MACRO _ranking_judgement(found, size, n_items, grades, cutoff) AS
{
    'ranks': list_transform(found, lambda places: places[1]::INTEGER),
    'grades': list_transform(
        found, lambda places: CASE WHEN grades IS NULL THEN 1::DOUBLE ELSE (grades::DOUBLE[])[places[2]] END
    ),
    'ideal': coalesce(list_sort(grades::DOUBLE[], 'DESC'), list_transform(range(n_items), lambda place: 1::DOUBLE)),
    'size': size::INTEGER,
    'cutoff': cutoff::INTEGER
};
