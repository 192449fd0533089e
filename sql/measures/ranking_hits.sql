-- The number of relevant items in the top k.
--
-- judged:    a judged ranking, from ranking_judge or ranking_judged
-- k:         how far to look, an integer of any type; NULL for the whole list
-- min_grade: the lowest grade that is relevant, a number > 0; NULL: every grade above 0 is
-- Returns:   DOUBLE: 0, 1, 2, ...; 0 where truth is empty; NULL for NULL
-- Source:    trec_eval (num_rel_ret)
-- Example:   SELECT ranking_hits(ranking_judge([1, 3, 2, 6], [1, 2, 4]));  -- 2.0
CREATE OR REPLACE TEMP MACRO ranking_hits(judged, k := NULL, min_grade := NULL) AS
list_transform(
    _ranking_views(judged, k, min_grade),
    lambda _ranking_view: _ranking_checked_value(
        'ranking_hits',
        _ranking_view,
        NULL,
        _ranking_hits(_ranking_view.ranking)))[1];

CREATE OR REPLACE TEMP MACRO _ranking_hits(ranking) AS
(
    ranking.n_hits
)::DOUBLE;
