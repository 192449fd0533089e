-- Internal: the type of the column system (several models in one table), or that of another value where the
-- table has no such column. Used by _ranking_has_system.
--
-- rec:       name of a table, as query_table takes it
-- otherwise: a value of any type
-- Returns:   VARCHAR, as typeof gives it
-- Example:   SELECT _ranking_type_of_system('rec', NULL::DATE);
CREATE OR REPLACE TEMP MACRO _ranking_type_of_system(rec, otherwise) AS
typeof((
    SELECT found.system
    -- Without a column system in the table, the name means that of `absent`.
    FROM (SELECT otherwise AS system) AS absent, LATERAL (SELECT system FROM query_table(rec) AS models) AS found
    WHERE false
));
