-- Internal: the problems with a count above 0, as structs.
--
-- found:   LIST of (place among all problems, problem, count, example)
-- Returns: such a LIST, of those with a count above 0
-- Example: SELECT _ranking_problems([(1, 'rec: score is NULL', 2, 'userid 1'), (2, 'rec: score is NaN', 0, NULL)]);
CREATE OR REPLACE TEMP MACRO _ranking_problems(found) AS
list_filter(
    list_transform(
        found,
        lambda one: {'place': one[1]::INTEGER, 'problem': one[2], 'count': one[3]::BIGINT, 'example': one[4]}),
    lambda one: one.count > 0);
