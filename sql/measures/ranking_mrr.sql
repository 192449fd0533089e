CREATE OR REPLACE TEMP MACRO ranking_mrr(judged, k := NULL) AS
_ranking_checked('ranking_mrr', judged, k, NULL, coalesce(1 / _ranking_hits(judged, k)[1], 0));
