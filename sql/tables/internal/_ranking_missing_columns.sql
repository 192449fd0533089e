-- Internal: the error text of the columns that a table does not have, all of them at once, and what to write.
--
-- name:    rec or truth
-- texts:   what _ranking_column_texts gives of it
-- missing: LIST of STRUCT(argument, name, near: what _ranking_nearest_column gives, is_elsewhere: whether the other table
--          has a column of this name)
-- Returns: VARCHAR; NULL if none is missing
-- Example: SELECT _ranking_missing_columns(
--     'rec', ', sku INTEGER,', [{'argument': 'item_col', 'name': 'itemid', 'near': 'sku', 'is_elsewhere': false}]);
CREATE OR REPLACE TEMP MACRO _ranking_missing_columns(name, texts, missing) AS
name || ' must have '
|| array_to_string(
    nullif(list_transform(missing, lambda c: concat('a column ', _ranking_cut(c.name), ' (', c.argument, ')')), []), ' and ')
|| ', got ' || _ranking_columns(texts) || '; write '
|| concat_ws(
    ', ',
    -- Columns that both tables must call the same.
    'SELECT * RENAME (' || array_to_string(
        nullif(list_transform(
            list_filter(missing, lambda c: coalesce(c.is_elsewhere, false) AND c.argument <> 'score_col'),
            lambda c: concat_ws(
                ' AS ',
                coalesce(regexp_replace(nullif(c.near, ''), '^(.*\W.*)$', '"\1"'), '...'),
                regexp_replace(c.name, '^(.*\W.*)$', '"\1"'))
        ), []),
        ', ') || ')',
    array_to_string(
        nullif(list_transform(
            list_filter(missing, lambda c: NOT coalesce(c.is_elsewhere, false) OR c.argument = 'score_col'),
            lambda c: concat(
                c.argument, ' := ''', coalesce(nullif(c.near, ''), '...'), '''',
                CASE WHEN regexp_matches(c.near, '(?i)^(rank|pos|place)') THEN ', descending := false' END,
                CASE WHEN c.is_elsewhere THEN ' (or swap rec and truth: truth has one)' END)
        ), []),
        ', '));
