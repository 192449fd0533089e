-- Checks two tables before an evaluation: a row for each kind of problem and system.
--
-- ks: Ties within the list and repeated items are counted down to the largest.
-- history: The data from which the recommendations were made, such as the train part of ranking.split.
-- time_col: '' turns off the check for late events.
-- items: An item may have several rows.
-- predicted_truth: Checks whether the users in truth are a random sample, and whether their lists are judged down to each
--             cutoff.
-- Returns:    One row per problem and system; no row if all is well.
--             `severity`: 'error', 'warning' or 'info'.
--             `system`: NULL if the problem concerns truth or all of rec.
--             `problem`, `code`: the problem as a sentence, and its short name.
--             `column_name`: the column, if the problem can concern several.
--             `k`, `example`: the cutoff, and one user, item or value.
--             `count`, `of`: how often it occurs, and how often it could, such as all users in truth, or NULL.
-- Errors:     A table that does not exist. Invalid arguments. With predicted_truth, the errors of ranking.evaluate. A
--             missing or unusable column is a row.
-- Example:    SELECT severity, system, code, k, example, count, of
--             FROM ranking.check('rec', 'truth', ks := [5]) WHERE code IN ('ties_at_k', 'no_relevant_item');
--
-- `sql/checks.md` and ranking.check_codes list every code, with advice. The check takes one and a half times as long as
-- an evaluation at k = 10. If a table has several folds, pass `time_col := ''`: the test of one fold is in the train of
-- another.
CREATE OR REPLACE MACRO ranking.check(ARGUMENTS) AS TABLE
{% import "tables/internal/check.jinja" as check %}
WITH {{ check.problems(of) }}
SELECT severity, system, problem, code, column_name, k, example, count, of
FROM problems
ORDER BY place ASC NULLS LAST, k ASC NULLS LAST, column_name ASC NULLS LAST, problem ASC NULLS LAST, system ASC NULLS FIRST
