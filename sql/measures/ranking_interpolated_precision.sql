-- The highest precision at any rank of the top k that has at least this recall.
--
-- The maximum of P(r) over the ranks r of hits with recall(r) >= recall; 0 if that is never reached.
--
-- judged:    a judged ranking, from ranking_judge or ranking_judged
-- k:         how far to look, an integer of any type; NULL for the whole list
-- recall:    a number >= 0 and <= 1
-- min_grade: the lowest grade that is relevant, a number > 0; NULL: every grade above 0 is
-- Returns:   DOUBLE from 0 to 1; 0 where truth is empty; NULL for NULL
-- Source:    Manning, Raghavan and Schuetze (2008), section 8.4
-- Example:   SELECT ranking_interpolated_precision(ranking_judge([3, 1, 2], [1, 2]), recall := 0.5);
--            -- 0.6666666666666666
CREATE OR REPLACE TEMP MACRO ranking_interpolated_precision(judged, k := NULL, recall := 0, min_grade := NULL) AS
list_transform(
    _ranking_views(judged, k, min_grade),
    lambda _ranking_view: _ranking_checked_value(
        'ranking_interpolated_precision',
        _ranking_view,
        _ranking_option('recall', recall, 'a number >= 0 and <= 1', TRY_CAST(recall AS DOUBLE) BETWEEN 0 AND 1),
        _ranking_interpolated_precision(_ranking_view.ranking, recall)))[1];

CREATE OR REPLACE TEMP MACRO _ranking_interpolated_precision(ranking, recall := 0) AS
(
    coalesce(
        list_max(list_transform(
            ranking.hits,
            lambda rank, number: CASE
                WHEN number / ranking.n_relevant >= TRY_CAST(recall AS DOUBLE) THEN number / rank
            END)),
        0)
)::DOUBLE;
