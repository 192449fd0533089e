-- A judged ranking cut at rank k, for queries over a column of them.
CREATE OR REPLACE TEMP MACRO _ranking_at(judged, k) AS
_ranking_prefix(
    judged,
    _ranking_cut_off(k, judged.size),
    _ranking_n_seen(judged.ranks, _ranking_cut_off(k, judged.size)),
    judged.ideal[-1] > 0,
    _ranking_log2_ideal(_ranking_cut_off(k, judged.size), _ranking_n_relevant(judged)));

-- A judged ranking cut at rank k: the input of the formulas of the measures. Of the top k, hits are the ranks of relevant
-- items, grades their grades, and seen the grades of all judged items; ideal are those of truth; log2_ideal is the sum of
-- ln(2) / ln(rank + 1) over the ranks of the best list cut at k.
CREATE OR REPLACE TEMP MACRO _ranking_prefix(judged, k, n_seen, all_relevant, log2_ideal) AS
{
    'k': k,
    'top': least(judged.size, k),
    'n_relevant': _ranking_n_relevant(judged),
    'n_hits': CASE
        WHEN all_relevant THEN n_seen
        ELSE len(list_filter(judged.grades[:n_seen], lambda grade: grade > 0))
    END,
    'hits': CASE
        WHEN all_relevant THEN judged.ranks[:n_seen]
        ELSE list_transform(
            list_filter(list_zip(judged.ranks[:n_seen], judged.grades[:n_seen]), lambda item: item[2] > 0),
            lambda item: item[1])
    END,
    'grades': CASE
        WHEN all_relevant THEN judged.grades[:n_seen]
        ELSE list_filter(judged.grades[:n_seen], lambda grade: grade > 0)
    END,
    'seen': judged.grades[:n_seen], 'ideal': judged.ideal, 'log2_ideal': log2_ideal::DOUBLE};

-- A cut-off as BIGINT, with a default where it is NULL.
CREATE OR REPLACE TEMP MACRO _ranking_cut_off(k, missing) AS
coalesce(TRY_CAST(k AS BIGINT), CASE WHEN k IS NULL THEN missing ELSE 9223372036854775807 END);

-- The number of ranks that are at most k.
CREATE OR REPLACE TEMP MACRO _ranking_n_seen(ranks, k) AS
CASE
    WHEN coalesce(ranks[-1] <= k, true) THEN len(ranks)
    ELSE len(list_filter(ranks, lambda _ranking_rank: _ranking_rank <= k))
END;

-- |truth|, the number of truth items with a grade above 0; 0 for NULL.
CREATE OR REPLACE TEMP MACRO _ranking_n_relevant(judged) AS
CASE
    WHEN judged.ideal[-1] > 0 THEN len(judged.ideal)
    ELSE coalesce(len(list_filter(judged.ideal, lambda grade: grade > 0)), 0)
END;

-- The value of a measure; NULL where the judged ranking is NULL; an error where it, k or an option has a problem.
CREATE OR REPLACE TEMP MACRO _ranking_checked_value(caller, view, problem, value) AS
CASE
    WHEN (problem) IS NULL AND view.is_sound THEN (value)::DOUBLE
    ELSE error(caller || ': ' || coalesce(problem, view.problem))::DOUBLE
END;

-- The lowest grade that is relevant: without a min_grade, the smallest number above 0.
CREATE OR REPLACE TEMP MACRO _ranking_lowest_grade(min_grade) AS
coalesce(TRY_CAST(min_grade AS DOUBLE), 2 ** -1074);

-- A judged ranking cut at rank k, with the error text of a bad ranking or k: the input of a measure. A macro's argument is
-- planned wherever its body names it, and ranking_judge(...) is long: it is named once here, and lambdas hand it on.
CREATE OR REPLACE TEMP MACRO _ranking_views(judged, k, min_grade := NULL) AS
list_transform(
    list_transform(
        [{
            'judged': judged,
            'k': _ranking_cut_off(k, NULL),
            'written': k::VARCHAR,
            'problem': coalesce(_ranking_k_problem(k), _ranking_min_grade_problem(min_grade))}],
        lambda _ranking_given: {
            'judged': _ranking_from_grade(_ranking_given.judged, min_grade),
            'k': coalesce(_ranking_given.k, _ranking_given.judged.size),
            'n_seen': _ranking_n_seen(_ranking_given.judged.ranks, _ranking_given.k),
            'problem': coalesce(
                _ranking_given.problem,
                _ranking_judged_problem(_ranking_given.judged, _ranking_given.k, _ranking_given.written))}),
    lambda _ranking_given: {
        'ranking': _ranking_prefix(
            _ranking_given.judged, _ranking_given.k, _ranking_given.n_seen, _ranking_given.judged.ideal[-1] > 0, NULL),
        'problem': _ranking_given.problem,
        'is_sound': _ranking_given.judged IS NOT NULL AND _ranking_given.problem IS NULL});

-- A judged ranking in which an item below a grade is judged, but not relevant: its grade is 0.
CREATE OR REPLACE TEMP MACRO _ranking_from_grade(judged, min_grade) AS
CASE
    WHEN min_grade IS NULL THEN judged
    WHEN judged IS NOT NULL THEN {
        'ranks': judged.ranks,
        'grades': _ranking_grades_from(judged.grades, min_grade),
        'ideal': _ranking_grades_from(judged.ideal, min_grade),
        'size': judged.size,
        'cutoff': judged.cutoff}
END;

-- Grades, with 0 in place of those below the lowest that is relevant.
CREATE OR REPLACE TEMP MACRO _ranking_grades_from(grades, min_grade) AS
list_transform(grades, lambda grade: CASE WHEN grade >= TRY_CAST(min_grade AS DOUBLE) THEN grade ELSE 0 END);
