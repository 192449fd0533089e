-- The measures as aggregates, as in Hivemall: each MEASURE becomes the mean of its values over the rows.
-- `ranking_udfs.register(con, hivemall=True)` runs this once for every measure and alias, with its name for MEASURE, and the
-- type that judge returns for JUDGED.
--
-- Returns: DOUBLE, the mean over the rows whose truth is not NULL
-- Example: SELECT recall(rec, truth, 2) FROM lists  -- one row
--
-- DuckDB computes equal expressions once, so all measures of a query share one call of judge, by a name that no user has.
CREATE OR REPLACE TEMP MACRO MEASURE
    (judged JUDGED) AS avg(system.main.MEASURE(judged)),
    (judged JUDGED, k HUGEINT) AS avg(system.main.MEASURE(judged, k)),
    (judged JUDGED, k HUGEINT, options VARCHAR) AS avg(system.main.MEASURE(judged, k, options)),
    (rec, truth) AS avg(system.main.MEASURE(system.main._ranking_judge(rec, truth))),
    (rec, truth, k) AS avg(system.main.MEASURE(system.main._ranking_judge(rec, truth), k)),
    (rec, truth, k, options) AS avg(system.main.MEASURE(system.main._ranking_judge(rec, truth), k, options));
