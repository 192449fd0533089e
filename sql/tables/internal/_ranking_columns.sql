-- Internal: the names of a table's columns, short enough for an error of one line.
--
-- type:    that of a row of it, as typeof gives it
-- Returns: VARCHAR
-- Example: SELECT _ranking_columns('STRUCT(userid INTEGER, price DECIMAL(9,2))');  -- userid, price
CREATE OR REPLACE TEMP MACRO _ranking_columns(type) AS
_ranking_cut(array_to_string(
    regexp_extract_all(
        type,
        -- a name, and then its type: DECIMAL(9,2), STRUCT(a INTEGER, b DECIMAL(9,2))[]
        '(?:^\w+\(|, )("(?:[^"]|"")*"|[^ ]+) [^,()]*(?:\((?:[^()]|\([^()]*\))*\))?[^,()]*',
        1
    ),
    ', '
));
