CREATE OR REPLACE TEMP MACRO ranking_first_hit_rank(judged, k := NULL) AS
_ranking_checked('ranking_first_hit_rank', judged, k, NULL, _ranking_hits(judged, k)[1]);
