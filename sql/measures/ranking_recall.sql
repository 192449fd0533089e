-- The share of the relevant items that stand in the top k.
--
-- hits / |truth|; with normalize=min, hits / min(|truth|, k), so that a list of k can reach 1.
--
-- judged:    a judged ranking, from ranking_judge or ranking_judged
-- k:         how far to look, an integer of any type; NULL for the whole list
-- normalize: 'truth' or 'min'
-- Returns:   DOUBLE from 0 to 1; where truth is empty, 1 if rec is empty too, else 0; NULL for NULL
-- Source:    Manning, Raghavan and Schuetze (2008), section 8.3
-- Example:   SELECT ranking_recall(ranking_judge([1, 3, 2, 6], [1, 2, 4]), 2);  -- 0.3333333333333333
CREATE OR REPLACE TEMP MACRO ranking_recall(judged, k := NULL, normalize := 'truth') AS
_ranking_checked(
    'ranking_recall',
    judged,
    k,
    _ranking_option('normalize', normalize, 'truth|min', normalize::VARCHAR IN ('truth', 'min')),
    list_transform([_ranking_at(judged, k)], lambda _ranking: _ranking_recall(_ranking, normalize))[1]);

CREATE OR REPLACE TEMP MACRO _ranking_recall(ranking, normalize := 'truth') AS
(
    len(ranking.hits) / greatest(
        CASE normalize::VARCHAR
            WHEN 'min' THEN least(ranking.k, ranking.n_relevant)
            ELSE ranking.n_relevant
        END,
        1)
    + (ranking.n_relevant + ranking.top = 0)::INTEGER
)::DOUBLE;

CREATE OR REPLACE TEMP MACRO _ranking_expected_recall(tied, normalize := 'truth') AS
(
    _ranking_tied_hits(tied, tied.top) / greatest(
        CASE normalize::VARCHAR
            WHEN 'min' THEN least(tied.k, tied.n_relevant)
            ELSE tied.n_relevant
        END,
        1)
    + (tied.n_relevant + tied.top = 0)::INTEGER
)::DOUBLE;
