-- The columns of a table as one text, each behind a comma and a blank and before a comma, with types that hold
-- no other: of a STRUCT or an ENUM nothing but that word.
CREATE OR REPLACE TEMP MACRO _ranking_column_texts(type) AS
concat(
    ', ',
    replace(
        regexp_replace(
            regexp_replace(type, '^\w+\(|\)$', '', 'g'),
            '\((?:[^()]|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))*\)', '', 'g'),
        ', ', ',, '),
    ',');

-- True for a column that is no measure, of a table with a row per user.
CREATE OR REPLACE TEMP MACRO _ranking_is_key(name) AS
lower(name) IN KEY_COLUMNS;
