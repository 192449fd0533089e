-- Internal: the columns of a table as one text, each behind a comma and a blank and before a comma, with types that hold
-- no other: of a STRUCT or an ENUM nothing but that word.
--
-- type:    that of a row of it, as typeof gives it
-- Returns: VARCHAR
-- Example: SELECT _ranking_column_texts('STRUCT(a INTEGER, b STRUCT(c INTEGER))');  -- , a INTEGER,, b STRUCT,
CREATE OR REPLACE TEMP MACRO _ranking_column_texts(type) AS
concat(
    ', ',
    replace(
        regexp_replace(
            regexp_replace(type, '^\w+\(|\)$', '', 'g'),
            '\((?:[^()]|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))*\)',
            '',
            'g'),
        ', ',
        ',, '),
    ',');
