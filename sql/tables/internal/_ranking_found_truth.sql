-- Internal: where the items of truth stand in users' lists.
--
-- lists:      name of a table with rec_items, truth_items: LISTs of items of rec and of truth
-- rec, truth: names of tables, as query_table takes them: those that the items are of
-- names:      what _ranking_names gives
-- Returns:    the columns of lists; found, what _ranking_found_items gives
-- Example:    FROM _ranking_found_truth(
--     'lists', 'rec', 'truth', _ranking_names('userid', 'itemid', 'score', NULL, NULL, true));
CREATE OR REPLACE TEMP MACRO _ranking_found_truth(lists, rec, truth, names) AS TABLE
SELECT
    * EXCLUDE (listed, items, listed_texts, texts),
    CASE
        WHEN _ranking_compare_as_texts(rec_items, truth_items) THEN _ranking_found_items(listed_texts, texts)
        ELSE _ranking_found_items(listed, items)
    END AS found
FROM (
    SELECT
        *,
        CASE WHEN _ranking_compare_as_texts(rec_items, truth_items) THEN NULL ELSE rec_items END AS listed,
        CASE WHEN _ranking_compare_as_texts(rec_items, truth_items) THEN NULL ELSE truth_items END AS items,
        CASE WHEN _ranking_compare_as_texts(rec_items, truth_items) THEN rec_items::VARCHAR[] END AS listed_texts,
        CASE WHEN _ranking_compare_as_texts(rec_items, truth_items) THEN truth_items::VARCHAR[] END AS texts
    FROM query_table(lists) AS lists_of
    UNION ALL BY NAME
    -- No row: both lists get a type that holds the items of either.
    SELECT [truths.itemid] AS listed, [recs.itemid] AS items
    FROM _ranking_recs(rec, names) AS recs
    CROSS JOIN _ranking_truths(truth, names) AS truths
    WHERE false
);
