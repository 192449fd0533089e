-- Internal: say whether ids of these types are compared as texts: where the types differ, but for two integers. A cast
-- that DuckDB would make by itself, of a text to a UUID or a number, could fail before _ranking_valid says what is
-- wrong. Known when the query is planned.
--
-- one, other: LISTs of ids, since DuckDB does not look for the type "NULL" itself before it runs
-- Returns:    BOOLEAN
-- Example:    SELECT _ranking_compare_as_texts([uuid()], ['a']);
CREATE OR REPLACE TEMP MACRO _ranking_compare_as_texts(one, other) AS
typeof(one) <> typeof(other)
AND NOT (_ranking_is_integer(left(typeof(one), -2)) AND _ranking_is_integer(left(typeof(other), -2)));
