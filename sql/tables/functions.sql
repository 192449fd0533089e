-- The index of the pack: every measure, table function and aggregate, a row for each.
--
-- Returns: name, kind, aliases, arguments (of a measure: before k and options), options (default first), range, empty (the
--          value where truth is empty, or where it is undefined), source, description; range, empty and source are of
--          measures alone. Each measure is a macro over a judged ranking too, `ranking_` and its name.
-- Example: SELECT name, options FROM ranking.functions() WHERE kind = 'measure' AND len(options) = 1 LIMIT 3;
CREATE OR REPLACE MACRO ranking.functions() AS TABLE
FROM (VALUES FUNCTION_ROWS) AS functions(name, kind, aliases, arguments, options, range, empty, source, description);
