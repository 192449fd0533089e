-- Internal: the items of a catalogue with their categories, each pair once.
--
-- rec:          name of a table, as query_table takes it, that stands in for a catalogue that there is not
-- items:        name of a table; NULL for none
-- names:        what _ranking_names gives
-- category_col: what the column of categories is called; NULL for category
-- Returns:      itemid, category; no row without a catalogue
-- Example:      FROM _ranking_contents_items(
--     'rec', 'products', _ranking_names('userid', 'itemid', 'score', '', NULL, true), 'category');
CREATE OR REPLACE TEMP MACRO _ranking_contents_items(rec, items, names, category_col) AS TABLE
SELECT DISTINCT itemid, category
FROM (
    -- least leaves out the NULL of ranking_absent.
    SELECT
        coalesce(*COLUMNS(_ranking_column(names['item'], 'itemid'))) AS itemid,
        least(*COLUMNS(_ranking_column(category_col, 'category'))) AS category
    FROM (SELECT NULL AS ranking_absent, * FROM query_table(_ranking_table('items', coalesce(items, rec))) AS rows)
)
WHERE itemid IS NOT NULL AND items IS NOT NULL;
