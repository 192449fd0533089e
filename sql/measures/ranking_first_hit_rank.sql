-- The rank of the first relevant item in the top k.
--
-- judged:    a judged ranking, from ranking_judge or ranking_judged
-- k:         how far to look, an integer of any type; NULL for the whole list
-- min_grade: the lowest grade that is relevant, a number > 0; NULL: every grade above 0 is
-- Returns:   DOUBLE: 1, 2, 3, ...; NULL without a hit, so also where truth is empty
-- Source:    Hivemall, n_tp of its MRR
-- Example:   SELECT ranking_first_hit_rank(ranking_judge([3, 1, 2, 6], [1, 2, 4]));  -- 2.0
CREATE OR REPLACE TEMP MACRO ranking_first_hit_rank(judged, k := NULL, min_grade := NULL) AS
list_transform(
    _ranking_views(judged, k, min_grade),
    lambda _ranking_view: _ranking_checked_value(
        'ranking_first_hit_rank',
        _ranking_view,
        NULL,
        _ranking_first_hit_rank(_ranking_view.ranking)))[1];

CREATE OR REPLACE TEMP MACRO _ranking_first_hit_rank(ranking) AS
(
    ranking.hits[1]
)::DOUBLE;
