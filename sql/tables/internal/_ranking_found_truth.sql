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
    * EXCLUDE (plain, texts),
    CASE
        -- Rare, and so not by the fastest of the ways for each length.
        WHEN plain IS NULL
            THEN _ranking_found_each(list_intersect(texts.listed, texts.items), texts.listed, texts.items)
        ELSE _ranking_found_items(plain.listed, plain.items)
    END AS found
FROM (
    -- Lists in one struct, since saying whether ids are texts takes long to plan.
    SELECT
        *,
        CASE
            WHEN NOT _ranking_compare_as_texts(rec_items, truth_items) THEN {'listed': rec_items, 'items': truth_items}
        END AS plain,
        CASE
            WHEN _ranking_compare_as_texts(rec_items, truth_items)
                THEN {'listed': rec_items::VARCHAR[], 'items': truth_items::VARCHAR[]}
        END AS texts
    FROM query_table(lists) AS lists_of
    UNION ALL BY NAME
    -- No row: both lists get a type that holds the items of either.
    SELECT {'listed': [truths.itemid], 'items': [recs.itemid]} AS plain
    FROM _ranking_recs(rec, names) AS recs
    CROSS JOIN _ranking_truths(truth, names) AS truths
    WHERE false
);
