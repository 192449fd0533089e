-- The sum over the ranks r of R(r) / r * product over q < r of (1 - R(q)), with R(r) = (2^grade - 1) / 2^max_grade;
-- from the last hit up, each adds R(r) / r to (1 - R(r)) times what is below it.
--
-- max_grade: a number > 0 and <= 1000; a grade above it is an error, in the list or in truth
-- Example:   SELECT ranking_err(ranking_judge(['a', 'x'], ['a']), max_grade := 1);  -- 0.5
CREATE OR REPLACE TEMP MACRO _ranking_err(ranking, max_grade := 4) AS
list_reduce(
    list_reverse(list_transform(
        list_zip(ranking.hits, ranking.grades),
        lambda _ranking_hit:
            [1 / _ranking_hit[1], _ranking_gain(_ranking_hit[2], 'exp') * 2 ** -TRY_CAST(max_grade AS DOUBLE)])),
    lambda below, hit: [hit[1] * hit[2] + (1 - hit[2]) * below[1]],
    [0::DOUBLE])[1]::DOUBLE;

-- The error text of a grade above max_grade; NULL for none.
CREATE OR REPLACE TEMP MACRO _ranking_err_problem(ranking, max_grade) AS
_ranking_grade_problem(max_grade, ranking.ideal[1]);
