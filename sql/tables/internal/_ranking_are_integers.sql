-- Internal: say whether cut-offs have no digits after the point.
--
-- ks:      a number or a LIST of numbers
-- Returns: BOOLEAN
-- Example: SELECT _ranking_are_integers([5.0, 10.0]);
CREATE OR REPLACE TEMP MACRO _ranking_are_integers(ks) AS
-- 10, 10.0, and 1e+20, as large floating numbers are written
len(list_filter(_ranking_numbers(ks), lambda k: NOT regexp_full_match(k, '-?\d+(\.0+)?|-?[\d.]+e\+\d+'))) = 0;
