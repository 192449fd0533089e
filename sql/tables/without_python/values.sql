-- Returns the beginning of a type or value, short enough for an error of one line. All errors use it.
CREATE OR REPLACE TEMP MACRO _ranking_cut(text) AS
regexp_replace(coalesce(text, 'NULL'), '(?s)^(.{42}).{4,}$', '\1...');

-- Returns a constant as SQL, for an argument in the string of a query.
CREATE OR REPLACE TEMP MACRO _ranking_as_text(x) AS
CASE WHEN x IS NULL THEN 'NULL' ELSE concat('''', replace(x::VARCHAR, '''', ''''''), '''::', typeof(x)) END;

-- Returns true if a type is an integer, or if each of several concatenated types is.
CREATE OR REPLACE TEMP MACRO _ranking_is_integer(type) AS
regexp_full_match(type, '(U?((TINY|SMALL|BIG|HUGE)INT|INTEGER))+');

-- Returns true if ids of these two types can be compared.
CREATE OR REPLACE TEMP MACRO _ranking_same_type(one, other) AS
'"NULL"' IN (one, other) OR _ranking_family(one) = _ranking_family(other);

-- Returns the type to which ids of two types are cast. For two numbers it is the less exact one, in which equal ids are
-- equal: a string would end in .0. ranking.check reports ids that are too large for it.
CREATE OR REPLACE TEMP MACRO _ranking_common_type(one, other) AS
CASE
    WHEN regexp_matches(one || other, 'UUID|DATE|TIME|BLOB|BIT') AND regexp_matches(one || other, 'FLOAT|DOUBLE|DECIMAL')
        THEN 'VARCHAR'
    WHEN contains(one, 'FLOAT') THEN one
    WHEN contains(other, 'FLOAT') THEN other
    WHEN contains(one, 'DOUBLE') THEN one
    WHEN contains(other, 'DOUBLE') THEN other
    WHEN regexp_matches(one || other, '^DECIMAL|DECIMAL.*\)$') AND NOT regexp_matches(one || other, ', ?0\)VAR|VAR.*, ?0\)$')
        THEN format(
            'DECIMAL(38, {})',
            greatest(
                TRY_CAST(regexp_extract(one, ', ?(\d+)\)$', 1) AS TINYINT),
                TRY_CAST(regexp_extract(other, ', ?(\d+)\)$', 1) AS TINYINT)))
    WHEN regexp_full_match(one || other, '((DATE|TIMESTAMP)(_[NMS]+| WITH TIME ZONE)?)+') THEN 'TIMESTAMP'
    WHEN contains(one || other, 'BOOLEAN') AND _ranking_is_integer(replace(one || other, 'BOOLEAN', '')) THEN 'BIGINT'
    WHEN 'BLOB' IN (one, other) THEN 'BLOB'
    ELSE 'VARCHAR'
END;

-- Returns the family of a type: ids of one family can be compared. Integers of all widths are one family, except UHUGEINT,
-- since DuckDB would compare it with a signed integer as DOUBLE. Strings (VARCHAR, ENUM, UUID) are one family. Every other
-- type is a family of its own.
CREATE OR REPLACE TEMP MACRO _ranking_family(type) AS
regexp_replace(
    regexp_replace(type, '^(U?(TINY|SMALL|BIG)INT|UINTEGER|HUGEINT)$', 'INTEGER'), '(?s)^(UUID|ENUM\(.*\))$', 'VARCHAR');

-- Returns the error for a collation in which different ids would be equal; NULL if there is none.
CREATE OR REPLACE TEMP MACRO _ranking_collation_problem() AS
CASE WHEN NOT regexp_full_match(current_setting('default_collation'), '(?i)|binary|c|posix')
    THEN 'default_collation must be binary (SET default_collation = ''binary''), got '
        || _ranking_cut(current_setting('default_collation'))
END;

-- Joins strings; NULL if there are none. array_to_string would plan them twice.
CREATE OR REPLACE TEMP MACRO _ranking_joined(texts, separator) AS
list_aggregate(texts, 'string_agg', separator);

-- Returns true, or raises the problem as an error.
CREATE OR REPLACE TEMP MACRO _ranking_no_problem(caller, problem) AS
coalesce(error(caller || ': ' || problem)::BOOLEAN, true);
