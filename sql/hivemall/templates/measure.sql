-- A measure as an aggregate, as in Hivemall: the mean of its values over the rows.
-- `ranking_udfs.register(con, hivemall=True)` runs this for every measure and alias. Its name replaces MEASURE, and the type
-- that judge returns replaces JUDGED.
--
-- Returns: DOUBLE, the mean over the rows with a truth that is not NULL
-- Example: SELECT recall(rec, truth, 2) FROM lists  -- one row
--
-- DuckDB computes equal expressions once, so all measures of a query share one call of judge. No user has its name.
CREATE OR REPLACE TEMP MACRO MEASURE
    (judged JUDGED) AS avg(system.main.MEASURE(judged)),
    (judged JUDGED, k HUGEINT) AS avg(system.main.MEASURE(judged, k)),
    (judged JUDGED, k HUGEINT, options VARCHAR) AS avg(system.main.MEASURE(judged, k, options)),
    (rec, truth) AS avg(system.main.MEASURE(system.main._ranking_judge(rec, truth))),
    (rec, truth, k) AS avg(system.main.MEASURE(system.main._ranking_judge(rec, truth), k)),
    (rec, truth, k, options) AS avg(system.main.MEASURE(system.main._ranking_judge(rec, truth), k, options));
