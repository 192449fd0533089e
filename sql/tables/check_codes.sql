-- Lists the problems that ranking.check finds: the severity of each, and advice for SQL, the command and Python.
--
-- Returns:    One row per code, in the order of the check's rows: place, code, and these columns.
--             `about`: the table, rec, truth or history.
--             `needs`: the argument without which there is no check: history, items, predicted_truth or NULL.
--             `counted`: the unit of the column `of`.
--             `error_from`, `warning_from`: the lowest share count / of that is an 'error' or a 'warning'; lower shares
--             are 'info'. 0 means always and NULL never. A test decides about upside_down, truth_in_rec and partial_leak.
--             `can_be_problem`: false if the severity is always 'info'.
--             `problem`: the sentence, with {user}, {item} and so on for the names of columns.
--             `in_sql`, `in_command`, `in_python`: advice.
-- Example: SELECT code, warning_from, in_sql FROM ranking.check_codes() WHERE code LIKE 'ties%';

-- A line is a row, with ` | ` between its columns, since DuckDB parses one string quickly.
CREATE OR REPLACE MACRO ranking.check_codes() AS TABLE
SELECT
    place,
    cells[1] AS code,
    cells[2] AS about,
    nullif(cells[3], '') AS needs,
    nullif(cells[4], '') AS counted,
    nullif(cells[5], '')::DOUBLE AS error_from,
    nullif(cells[6], '')::DOUBLE AS warning_from,
    error_from IS NOT NULL OR warning_from IS NOT NULL OR cells[7] = 'tested' AS can_be_problem,
    cells[8] AS problem,
    nullif(cells[9], '') AS in_sql,
    nullif(cells[10], '') AS in_command,
    nullif(cells[11], '') AS in_python
FROM (
    SELECT unnest(range(1, len(lines) + 1)) AS place, string_split(unnest(lines), ' | ') AS cells
    FROM (SELECT string_split(PROBLEM_LINES, chr(10)) AS lines));
