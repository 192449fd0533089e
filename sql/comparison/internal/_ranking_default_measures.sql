-- Internal: the measures by which systems are compared where none are named, by the same rule as the command's.
--
-- Returns: VARCHAR, names with commas
-- Example: SELECT _ranking_default_measures();  -- ndcg,recall,average_precision,mrr,hit_rate,precision
CREATE OR REPLACE TEMP MACRO _ranking_default_measures() AS
-- measures: generated from udfs/ranking_udfs/evaluation/defaults.py, do not edit
'ndcg,recall,average_precision,mrr,hit_rate,precision'
-- end of measures
;
