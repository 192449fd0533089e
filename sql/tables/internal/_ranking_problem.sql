-- Internal: a problem as a struct.
--
-- place:   its place among all problems
-- problem: what is wrong
-- system:  of which system, as text; NULL for none or all
-- count:   how often it is there
-- example: a text
-- size:    the length of the list, where that matters
-- Returns: STRUCT; NULL if the count is 0 or NULL
-- Example: SELECT _ranking_problem(13, 'rec: score is NULL', 'a', 2, 'userid 1');
CREATE OR REPLACE TEMP MACRO _ranking_problem(place, problem, system, count, example, size := NULL) AS
CASE WHEN count > 0 THEN {
    'place': place::INTEGER, 'problem': problem, 'system': system::VARCHAR, 'count': count::BIGINT,
    'example': example::VARCHAR, 'size': size::BIGINT
} END;
