-- Internal: the error text of a bad option; NULL for none.
--
-- option:  its name
-- given:   its value
-- rule:    what it must be, in words
-- holds:   whether it is
-- Returns: VARCHAR
-- Example: SELECT _ranking_option('beta', -1, 'a number >= 0', false);  -- beta must be a number >= 0, got -1
CREATE OR REPLACE TEMP MACRO _ranking_option(option, given, rule, holds) AS
CASE
    WHEN holds THEN NULL
    ELSE concat(
        option,
        ' must be ',
        rule,
        ', got ',
        CASE
            WHEN typeof(given) = 'VARCHAR' THEN '''' || given::VARCHAR || ''''
            ELSE coalesce(given::VARCHAR, 'NULL')
        END)
END;
