-- Rank-biased precision: the gain per item that a user sees who goes on with probability `persistence`.
--
-- (1 - persistence) * sum over the ranks r of gain(r) persistence^(r - 1).
--
-- judged:      a judged ranking, from ranking_judge or ranking_judged
-- k:           how far to look, an integer of any type; NULL for the whole list
-- persistence: a number >= 0 and < 1
-- gain:        'binary' for 1 per relevant item, 'graded' for grade / max_grade
-- max_grade:   a number > 0 and <= 1000, with gain=graded alone; NULL for 4; a grade above it is an error
-- min_grade:   the lowest grade that is relevant, a number > 0, with gain=binary alone; NULL: every grade above 0 is
-- Returns:     DOUBLE from 0 to 1; 0 where truth is empty; NULL for NULL
-- Source:      Moffat and Zobel (2008)
-- Example:     SELECT ranking_rbp(ranking_judge([1, 3], [1, 2, 4]), persistence := 0.5);  -- 0.5
CREATE OR REPLACE TEMP MACRO ranking_rbp
    (judged, k := NULL, persistence := 0.8, gain := 'binary', max_grade := NULL, min_grade := NULL) AS
list_transform(
    _ranking_views(judged, k, min_grade),
    lambda _ranking_view: _ranking_checked_value(
        'ranking_rbp',
        _ranking_view,
        coalesce(
            _ranking_option(
                'persistence',
                persistence,
                'a number >= 0 and < 1',
                TRY_CAST(persistence AS DOUBLE) >= 0 AND TRY_CAST(persistence AS DOUBLE) < 1),
            _ranking_option('gain', gain, 'binary|graded', gain::VARCHAR IN ('binary', 'graded')),
            _ranking_option(
                'max_grade',
                max_grade,
                'a number > 0 and <= 1000',
                max_grade IS NULL OR TRY_CAST(max_grade AS DOUBLE) > 0 AND TRY_CAST(max_grade AS DOUBLE) <= 1000),
            CASE
                WHEN max_grade IS NOT NULL AND gain::VARCHAR <> 'graded'
                    THEN 'max_grade must go with gain=graded, got it with gain=' || gain::VARCHAR
                WHEN min_grade IS NOT NULL AND gain::VARCHAR <> 'binary'
                    THEN 'min_grade must go with gain=binary, got it with gain=' || gain::VARCHAR
                WHEN gain::VARCHAR = 'graded' THEN _ranking_grade_problem(max_grade, _ranking_view.ranking.ideal[1])
            END),
        _ranking_rbp(_ranking_view.ranking, persistence, gain, max_grade)))[1];

CREATE OR REPLACE TEMP MACRO _ranking_rbp(ranking, persistence := 0.8, gain := 'binary', max_grade := NULL) AS
(
    least(
        (1 - TRY_CAST(persistence AS DOUBLE)) * coalesce(
            list_sum(list_transform(
                list_zip(ranking.hits, ranking.grades),
                lambda _ranking_hit: TRY_CAST(persistence AS DOUBLE) ** (_ranking_hit[1] - 1)
                    * CASE gain::VARCHAR
                        WHEN 'graded' THEN _ranking_hit[2] / coalesce(TRY_CAST(max_grade AS DOUBLE), 4)
                        ELSE 1
                    END)),
            0),
        1)
)::DOUBLE;

CREATE OR REPLACE TEMP MACRO _ranking_expected_rbp
    (tied, persistence := 0.8, gain := 'binary', max_grade := NULL) AS
(
    coalesce(
        error('ranking_rbp: ' || CASE
            WHEN gain::VARCHAR = 'graded' THEN _ranking_grade_problem(max_grade, tied.ideal[1])
        END)::INTEGER,
        1)
    * least(
        (1 - TRY_CAST(persistence AS DOUBLE)) * coalesce(
            list_sum(list_transform(
                list_zip(
                    flatten(list_transform(tied.ties, lambda tie: list_resize(
                        []::DOUBLE[],
                        tie.hits,
                        list_sum(list_transform(
                            range(tie.above, tie.above + tie.taken),
                            lambda above: TRY_CAST(persistence AS DOUBLE) ** above))
                            / tie.size))),
                    tied.grades),
                lambda hit: hit[1] * CASE gain::VARCHAR
                    WHEN 'graded' THEN hit[2] / coalesce(TRY_CAST(max_grade AS DOUBLE), 4)
                    ELSE 1
                END)),
            0),
        1)
)::DOUBLE;
