-- Internal: what is wrong with an option; NULL for nothing.
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
    WHEN typeof(given) = 'VARCHAR' THEN option || ' must be ' || rule || ', got ''' || _ranking_cut(given::VARCHAR) || ''''
    ELSE option || ' must be ' || rule || ', got ' || _ranking_cut(given::VARCHAR)
END;
