-- (1 - persistence) * sum over the ranks r of gain(r) persistence^(r - 1).
--
-- persistence: a number >= 0 and < 1
-- gain:        'binary' for 1 per relevant item, 'graded' for grade / max_grade
-- max_grade:   a number > 0 and <= 1000, with gain=graded alone; NULL for 4; a grade above it is an error
-- min_grade:   the lowest grade that is relevant, a number > 0, with gain=binary alone; NULL: every grade above 0 is
-- Example:     SELECT ranking_rbp(ranking_judge([1, 3], [1, 2, 4]), persistence := 0.5);  -- 0.5
CREATE OR REPLACE TEMP MACRO _ranking_rbp(ranking, persistence := 0.8, gain := 'binary', max_grade := NULL) AS
least(
    (1 - TRY_CAST(persistence AS DOUBLE)) * coalesce(
        list_sum(list_transform(
            list_zip(
                _ranking_weights(ranking, lambda _ranking_rank: TRY_CAST(persistence AS DOUBLE) ** (_ranking_rank - 1)),
                ranking.grades),
            lambda _ranking_hit: _ranking_hit[1] * CASE gain::VARCHAR
                WHEN 'graded' THEN _ranking_hit[2] / coalesce(TRY_CAST(max_grade AS DOUBLE), 4)
                ELSE 1
            END)),
        0),
    1)::DOUBLE;

-- The error text of a grade above max_grade; NULL for none.
CREATE OR REPLACE TEMP MACRO _ranking_rbp_problem(ranking, persistence, gain, max_grade) AS
CASE WHEN gain::VARCHAR = 'graded' THEN _ranking_grade_problem(max_grade, ranking.ideal[1]) END;
