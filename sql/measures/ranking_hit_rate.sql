CREATE OR REPLACE TEMP MACRO ranking_hit_rate(judged, k := NULL) AS
_ranking_checked('ranking_hit_rate', judged, k, NULL, (len(_ranking_hits(judged, k)) > 0)::INTEGER);
