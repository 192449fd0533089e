-- The beginning of a type or a value, short enough for an error of one line. Used wherever one is raised.
CREATE OR REPLACE TEMP MACRO _ranking_cut(text) AS
regexp_replace(coalesce(text, 'NULL'), '(?s)^(.{42}).{4,}$', '\1...');

-- A constant as SQL, for an argument in the text of a query.
CREATE OR REPLACE TEMP MACRO _ranking_as_text(x) AS
CASE WHEN x IS NULL THEN 'NULL' ELSE concat('''', replace(x::VARCHAR, '''', ''''''), '''::', typeof(x)) END;

-- Say whether a type is an integer, or each of several types, written one behind the other.
CREATE OR REPLACE TEMP MACRO _ranking_is_integer(type) AS
regexp_full_match(type, '(U?((TINY|SMALL|BIG|HUGE)INT|INTEGER))+');
