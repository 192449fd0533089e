-- Internal: a judged ranking cut at rank k, for queries over a column of them.
--
-- judged:  a judged ranking; a column, since it is named often
-- k:       an integer of any type; NULL for the whole list
-- Returns: what _ranking_prefix gives; log2_ideal is NULL beyond 128
-- Example: SELECT _ranking_at(judged, 2) FROM (SELECT ranking_judge([1, 3, 2], [1, 2]) AS judged);
CREATE OR REPLACE TEMP MACRO _ranking_at(judged, k) AS
_ranking_prefix(
    judged,
    _ranking_cut_off(k, judged.size),
    _ranking_n_seen(judged.ranks, _ranking_cut_off(k, judged.size)),
    judged.ideal[-1] > 0,
    _ranking_log2_ideal(_ranking_cut_off(k, judged.size), _ranking_n_relevant(judged)));
