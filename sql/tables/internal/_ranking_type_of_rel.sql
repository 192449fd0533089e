-- Internal: the type of the column rel (grades), or that of another value where the table has no such column.
-- Used by _ranking_has_rel and _ranking_misfits.
--
-- truth:     name of a table, as query_table takes it
-- otherwise: a value of any type
-- Returns:   VARCHAR, as typeof gives it
-- Example:   SELECT _ranking_type_of_rel('truth', NULL::DOUBLE);
CREATE OR REPLACE TEMP MACRO _ranking_type_of_rel(truth, otherwise) AS
typeof((
    SELECT found.rel
    -- Without a column rel in the table, the name means that of `absent`.
    FROM (SELECT otherwise AS rel) AS absent, LATERAL (SELECT rel FROM query_table(truth) AS graded) AS found
    WHERE false
));
