-- The index of the pack: every measure, table function and aggregate, a row for each.
--
-- Returns: name, kind, aliases, arguments (of a measure: before k and options), options (default first), range, empty (the
--          value where truth is empty, or where it is undefined), source, description; range, empty and source are of
--          measures alone. Each measure is a macro over a judged ranking too, `ranking_` and its name.
-- Example: SELECT name, options FROM ranking_functions() WHERE kind = 'measure' AND len(options) = 1 LIMIT 3;

-- A line is a row and ` | ` stands between its columns, since one text is quick to parse.
CREATE OR REPLACE TEMP MACRO ranking_functions() AS TABLE
SELECT
    cells[1] AS name,
    cells[2] AS kind,
    list_filter(string_split(cells[3], '; '), lambda part: part <> '') AS aliases,
    list_filter(string_split(cells[4], '; '), lambda part: part <> '') AS arguments,
    list_filter(string_split(cells[5], '; '), lambda part: part <> '') AS options,
    nullif(cells[6], '') AS range,
    nullif(cells[7], '') AS empty,
    nullif(cells[8], '') AS source,
    cells[9] AS description,
FROM (SELECT string_split(unnest(string_split(FUNCTION_LINES, chr(10))), ' | ') AS cells);
