-- Lists every measure, table function and aggregate of ranking-udfs, one row each.
--
-- Returns:    name, kind, aliases, source, description, and these columns.
--             `arguments`: for a measure, those before k and options.
--             `options`: the default value comes first.
--             `range`: of a measure.
--             `empty`: the value if truth is empty, or if the measure is undefined.
-- Example:    SELECT name, options FROM ranking.functions() WHERE kind = 'measure' AND len(options) = 1 LIMIT 1;
CREATE OR REPLACE MACRO ranking.functions() AS TABLE
FROM (VALUES FUNCTION_ROWS) AS functions(name, kind, aliases, arguments, options, range, empty, source, description);
