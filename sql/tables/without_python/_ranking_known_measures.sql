-- Returns the direction and range of each measure, under each of its names. It casts a string, since DuckDB takes as long to
-- plan each part of a MAP as a function.
CREATE OR REPLACE TEMP MACRO _ranking_known_measures() AS
KNOWN_MEASURES::MAP(VARCHAR, STRUCT(measure VARCHAR, higher_is_better BOOLEAN, is_share BOOLEAN));
