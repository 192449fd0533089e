-- A judged ranking for every user with truth: what the other table functions are made of.
--
-- rec, truth: tables with userid, itemid, score and userid, itemid [, rel], as query_table takes them: names of
--             tables, views and CTEs, quoted three-part names, file paths, Python variables. With a column
--             `system` in rec (several models in one table), every system is scored over the same users.
-- max_k:      how far to look down the ranking; NULL for all of it
-- user_col, item_col, score_col, grade_col, system_col: what the columns are called, in whatever case; by default
--             userid, itemid, score, and rel and system if there are such; '' for grade_col: every row of truth is
--             relevant; '' for system_col: each user has one list
-- descending: whether the highest score is the best; false where `score` is a rank
-- min_grade:  the lowest grade that is relevant, a number > 0, for n_truth and all measures but those of gains, which
--             take the grades as they are; NULL: every grade above 0 is. Here it is for n_truth alone: the measures of
--             `judged` take a min_grade of their own
-- unjudged:   what becomes of items in rec that truth has no row for: 'miss': each takes up a rank; 'skip': they are left
--             out, NULLs and repeated items with them, and the ranks closed up (condensed lists), before any cutoff
-- without_relevant: users without a relevant item: 'zero': each counts as its measures say, 0 in most; 'skip': they are in
--             no list, mean or comparison, and users_without_relevant still counts them
-- users:      a table of users, as the queries of a golden set: each is in truth, without a relevant item where truth has no
--             row of its own; by default users are those of truth alone
-- Returns:    [system,] userid, n_rec (rows in rec), n_truth (relevant items), judged STRUCT(ranks INTEGER[],
--             grades DOUBLE[], ideal DOUBLE[], size INTEGER, cutoff INTEGER), cut at max_k, which is its cutoff: a
--             measure of it at a k beyond is an error
-- Errors:     a table that is not there, a query in place of a name (make it a CTE or view), one called `_ranking_rec` or as
--             another CTE of this SQL that reads tables; a column that is missing or of a type that does not fit; a column
--             that looks like systems or runs in rec, or grades in truth, and is not named; itemids or userids of types that
--             cannot match; a grade that is NULL, NaN or infinite; truth without a user, or with 'skip' without a relevant
--             item; max_k that is no integer or below 0; a min_grade above 1 where truth has no grades
-- Source:     Sakai (2007), "Alternatives to Bpref", for condensed lists
-- Example:    SELECT ranking.mean(ranking.ndcg(judged, 10, gain := 'linear')) AS ndcg FROM ranking.judged('rec', 'truth', 10);
--
-- Users are those with a row in truth, or in `users`, whose userid is not NULL; others in rec are left out. Ranking is by
-- score, descending, ties by itemid, ascending, NULL and NaN scores last.
CREATE OR REPLACE MACRO ranking.judged(
    rec, truth, max_k,
    user_col := 'userid', item_col := 'itemid', score_col := 'score', grade_col := NULL, system_col := NULL,
    descending := true, min_grade := NULL, unjudged := 'miss', without_relevant := 'zero', users := NULL) AS TABLE
{# The other table functions write COLUMN_ARGUMENTS for the arguments from user_col to descending, JUDGING_ARGUMENTS for those
   behind them, and COLUMN_NAMES and JUDGING for the names of these (a struct in their place would be planned at each use);
   where there is no truth, REC_COLUMN_ARGUMENTS and REC_COLUMN_NAMES; and COLUMNS_AS_TEXTS and JUDGING_AS_TEXTS for their values
   in a text that query() plans. The words are replaced when the files are read, by this signature. #}
{% import "tables/internal/judging.jinja" as judging %}
WITH {{ judging.judged(of) }}
SELECT
    {{ of.system_first }}* EXCLUDE (ranking_system, has_truth, ranks, judged_grades, ideal, size),
    {'ranks': ranks, 'grades': judged_grades, 'ideal': ideal, 'size': size, 'cutoff': {{ of.cutoff }}::INTEGER} AS judged
FROM _ranking_judged
WHERE has_truth
