-- Internal: a judged ranking cut at rank k, with the error text of a bad ranking or k: the input of a measure.
--
-- A macro's argument is planned wherever its body names it, and ranking_judge(...) is long: it is named once here, and
-- lambdas hand it on. All measures of a query share this list.
--
-- judged:    a judged ranking
-- k:         an integer of any type; NULL for the whole list
-- min_grade: the lowest grade that is relevant; NULL: every grade above 0 is
-- Returns:   a LIST of one STRUCT: ranking, what _ranking_prefix gives; problem VARCHAR, NULL for none; is_sound BOOLEAN,
--            false where there is a problem or the judged ranking is NULL
-- Example:   SELECT _ranking_views(ranking_judge([1, 3, 2], [1, 2]), 2);
CREATE OR REPLACE TEMP MACRO _ranking_views(judged, k, min_grade := NULL) AS
list_transform(
    list_transform(
        [{
            'judged': judged,
            'k': _ranking_cut_off(k, NULL),
            'written': k::VARCHAR,
            'problem': coalesce(_ranking_k_problem(k), _ranking_min_grade_problem(min_grade))
        }],
        lambda _ranking_given: {
            'judged': _ranking_from_grade(_ranking_given.judged, min_grade),
            'k': coalesce(_ranking_given.k, _ranking_given.judged.size),
            'n_seen': _ranking_n_seen(_ranking_given.judged.ranks, _ranking_given.k),
            'problem': coalesce(
                _ranking_given.problem,
                _ranking_judged_problem(_ranking_given.judged, _ranking_given.k, _ranking_given.written))
        }),
    lambda _ranking_given: {
        'ranking': _ranking_prefix(
            _ranking_given.judged,
            _ranking_given.k,
            _ranking_given.n_seen,
            _ranking_given.judged.ideal[-1] > 0,
            NULL),
        'problem': _ranking_given.problem,
        'is_sound': _ranking_given.judged IS NOT NULL AND _ranking_given.problem IS NULL
    });
