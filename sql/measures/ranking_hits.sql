CREATE OR REPLACE TEMP MACRO ranking_hits(judged, k := NULL) AS
_ranking_checked('ranking_hits', judged, k, NULL, len(_ranking_hits(judged, k)));
