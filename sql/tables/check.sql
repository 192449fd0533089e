-- Checks two tables before an evaluation: a row for each kind of problem and system.
--
-- ks: The check looks for tied scores and short lists at these. Ties within the list and repeated items are counted down to the
--             largest cutoff.
-- history: It is the data from which the recommendations were made, such as the train part of ranking.split: userid, itemid [,
--             time].
-- time_col: '' turns off the check for late events.
-- items: An item may have several rows.
-- predicted_truth: The check tests whether the users in truth are a random sample, and whether their lists are judged down to
--             each cutoff.
-- Returns:    One row per problem and system; no row if all is well. Columns: severity, system, problem, code, column_name, k,
--             example, count, of.
--             `severity`: 'error', 'warning' or 'info'.
--             `system`: name of the system as a string. NULL if the problem concerns truth or all of rec.
--             `code`: short name of the problem, as in ranking.check_codes.
--             `column_name`: the column, if the problem can concern several.
--             `count`: how often it occurs. `of`: how often it could occur, such as all users in truth, or NULL.
-- Errors:     A table that does not exist. Invalid arguments. With predicted_truth, the errors of ranking.evaluate. A column
--             that is missing or of an unusable type is a row.
-- Example:    FROM ranking.check('rec', 'truth', ks := [5, 10]);
--
-- The check looks for ids that do not match, unread columns that look like grades or systems, invalid types, NULL and NaN, and
-- duplicates. It also looks for tied scores, short lists, users in one table only, scores sorted the wrong way, and target
-- leakage. `sql/checks.md` and ranking.check_codes list every code, with advice. The check takes about one and a half times as
-- long as an evaluation at k = 10.
--
-- In simulations with 300 users, two systems and 30% of the users affected, `partial_leak` finds more than 95% of leaks into a
-- model with NDCG 0.4. It finds 24% to 74% if NDCG is 0.7. False alarms occur if one system alone answers a kind of query, or if
-- the others are random. Without another system of the same users, it is 'info'.
--
-- If a table has several folds, pass `time_col := ''`: the test of one fold is in the train of another.
CREATE OR REPLACE MACRO ranking.check(ARGUMENTS) AS TABLE
{% import "tables/internal/check.jinja" as check %}
WITH {{ check.problems(of) }}
SELECT severity, system, problem, code, column_name, k, example, count, of
FROM problems
ORDER BY place ASC NULLS LAST, k ASC NULLS LAST, column_name ASC NULLS LAST, problem ASC NULLS LAST, system ASC NULLS FIRST
