-- Internal: how many rows have a problem, and the first of them in the order of their texts, so that it is the
-- same whatever the order of the rows. Used by ranking_check.
--
-- place:   where the problem stands among all
-- problem: its text
-- holds:   whether a row has it
-- example: what is said of such a row
-- Returns: STRUCT(place INTEGER, problem VARCHAR, count BIGINT, example VARCHAR)
-- Example: SELECT _ranking_problem(1, 'n is odd', n % 2 = 1, 'n ' || n) FROM range(10) AS t(n);
CREATE OR REPLACE TEMP MACRO _ranking_problem(place, problem, holds, example) AS
{
    'place': place,
    'problem': problem,
    'count': count(*) FILTER (holds),
    'example': min(CASE WHEN holds THEN example END)
};
