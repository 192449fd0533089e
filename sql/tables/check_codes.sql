-- The problems that ranking.check finds, in the order of its rows: how grave each is, and what to write against it.
--
-- Returns: place (1, 2, ...), code, about (rec, truth or history), needs (history, items, predicted_truth or NULL),
--          counted (what of counts), error_from and warning_from (the share, count / of, from which on a row is 'error' or
--          'warning', and else 'info'; NULL: never; 0: however few; of upside_down, truth_in_rec and partial_leak a test
--          decides), can_be_problem (not 'info' always), problem (the sentence; {user} and the like are names of columns),
--          in_sql, in_command, in_python (what to do against it)
-- Example: SELECT code, warning_from, in_sql FROM ranking.check_codes() WHERE code LIKE 'ties%';

-- A line is a row and ` | ` stands between its columns, since one text is quick to parse.
CREATE OR REPLACE MACRO ranking.check_codes() AS TABLE
SELECT
    place,
    cells[1] AS code,
    cells[2] AS about,
    nullif(cells[3], '') AS needs,
    nullif(cells[4], '') AS counted,
    nullif(cells[5], '')::DOUBLE AS error_from,
    nullif(cells[6], '')::DOUBLE AS warning_from,
    error_from IS NOT NULL OR warning_from IS NOT NULL
        OR code IN ('upside_down', 'truth_in_rec', 'partial_leak') AS can_be_problem,
    cells[7] AS problem,
    nullif(cells[8], '') AS in_sql,
    nullif(cells[9], '') AS in_command,
    nullif(cells[10], '') AS in_python
FROM (
    SELECT unnest(range(1, len(lines) + 1)) AS place, string_split(unnest(lines), ' | ') AS cells
    FROM (SELECT string_split(PROBLEM_LINES, chr(10)) AS lines));
