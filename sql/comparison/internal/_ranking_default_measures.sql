-- Internal: the measures that systems are compared by if none are named.
--
-- Returns: VARCHAR[]
-- Example: SELECT _ranking_default_measures();
CREATE OR REPLACE TEMP MACRO _ranking_default_measures() AS
['ndcg', 'recall', 'average_precision', 'mrr', 'hit_rate', 'precision'];
