-- The share of the relevant items that stand in the top k.
--
-- hits / |truth|; with normalize=min, hits / min(|truth|, k), so that a list of k can reach 1.
--
-- judged:    a judged ranking, from ranking_judge or ranking_judged
-- k:         how far to look, an integer of any type; NULL for the whole list
-- normalize: 'truth' or 'min'
-- min_grade: the lowest grade that is relevant, a number > 0; NULL: every grade above 0 is
-- Returns:   DOUBLE from 0 to 1; where truth is empty, 1 if rec is empty too, else 0; NULL for NULL
-- Source:    Manning, Raghavan and Schuetze (2008), section 8.3
-- Example:   SELECT ranking_recall(ranking_judge([1, 3, 2, 6], [1, 2, 4]), 2);  -- 0.3333333333333333
CREATE OR REPLACE TEMP MACRO ranking_recall(judged, k := NULL, normalize := 'truth', min_grade := NULL) AS
list_transform(
    _ranking_views(judged, k, min_grade),
    lambda _ranking_view: _ranking_checked_value(
        'ranking_recall',
        _ranking_view,
        _ranking_option('normalize', normalize, 'truth|min', normalize::VARCHAR IN ('truth', 'min')),
        _ranking_recall(_ranking_view.ranking, normalize)))[1];

CREATE OR REPLACE TEMP MACRO _ranking_recall(ranking, normalize := 'truth') AS
(
    CASE
        WHEN len(ranking.ideal) = 0 AND ranking.top = 0 THEN 1
        ELSE ranking.n_hits / greatest(
            CASE normalize::VARCHAR
                WHEN 'min' THEN least(ranking.k, ranking.n_relevant)
                ELSE ranking.n_relevant
            END,
            1)
    END
)::DOUBLE;
