-- The problems of two tables before they are evaluated, a row per kind of problem and system.
--
-- rec, truth: tables with userid, itemid, score and userid, itemid [, rel], as for ranking.judged
-- ks:         the cutoffs at which tied scores and short lists are looked for, and above the largest of which ties and
--             repeated items are; NULL among them for the whole list
-- user_col, ..., descending, JUDGING: as for ranking.judged
-- history:    a table with userid, itemid [, time]: what the recommendations were made of, as train of ranking.split
-- time_col:   what the column of times is called in truth and in history; by default time; '' if there are none, so
--             that late events are not looked for
-- items:      a table with itemid, in which an item may stand several times: the catalog, or the corpus that is searched
-- predicted_truth: as of ranking.compare: are the labelled users, those of truth, like the others by it, and judged to every k?
-- Returns:    one row per kind of problem and system that has it: severity (below), system (as text; NULL where the row is
--             about truth or all of rec), problem, code (of ranking.check_codes, which says what to write), k, example,
--             count, of (how many it could be, of the same kind: users in truth wherever a list is what is wrong; NULL where
--             there is no such number); no row if all is well
-- Errors:     a table that is not there; ks as for ranking.evaluate; with predicted_truth what ranking.evaluate does not take.
--             All else is a row, a missing column too.
-- Example:    FROM ranking.check('rec', 'truth', ks := [5, 10]);
--
-- severity is 'error' (a number or a verdict is not what it seems), 'warning', or 'info', to know, by the share count / of: see
-- ranking.check_codes; users without a relevant item are 'info' where they are left out. Pipelines stop at the first two.
-- Users who have a list and no truth are counted in rows of their own, which are 'info'. nothing_but_hits is looked
-- for where lists are condensed: of a truth without a judged miss they hold hits alone.
--
-- upside_down asks truth which end of the scores is up: of each system, over users whose list has a relevant item and another
-- with a different score, whether relevant items stand above others (the AUC of the whole list). It is 'error' where the mean
-- is below 0.5 by 3.3 standard errors over at least 30 users, or by 1.65 if scores in equal steps (1 to n) or a column rank
-- against the score say so too; and by 3.3 over at least 10 relevant items, each weighed by the root of its users, so that
-- one list for all users does not pass for many. It is 'warning' where scores are 1 to n or 0 to n - 1, or fall by a column
-- rank, and relevant items stand below others for more users than above. Lists of a good model that still hold what a user had
-- before look the same; with history, the check leaves these items out, and says seen_first where relevant items are not below
-- the others then.
-- truth_in_rec is where the lists of 95 % of at least 20 users with two relevant items begin with all of these, in the order
-- of grades: 'error' if two irrelevant grades of truth or more are in their order too, else 'warning'.
--
-- partial_leak is about fewer users. It counts users with two or more relevant items, all of them at the top. A system has it if
-- there are 16 such users or more and all of these hold: (a) their share is 0.1 and 4 standard errors above that of each other
-- system. (b) Near misses are few: of users with three or more relevant items (R), at most 0.7 times as many have all of them in
-- the first 3R or lack one in the first R. Of lists that hold all of them further down, at most 0.1 hold them in one block, as
-- pages do whose chunks are found together. (c) The users are no easier: the mean recall of the other systems over them is at
-- most 0.4 standard deviations above that over the other users. It is 'warning'. It is 'info' for a system without another
-- system of the same users, or if the others' recall is the same for all users: easy queries look the same. In simulations
-- with 300 users of two systems, it finds more than 95 % of leaks for 30 % of users of a model with NDCG 0.4. It finds 24 to 74 %
-- of these in a model with NDCG 0.7, and misses leaks into models that find pages as wholes. Beside another system, it can be
-- false where one system alone answers one kind of query, where the others are random lists beside a model with NDCG above 0.9,
-- and where a strong model finds the chunks of a page almost together while the others' recall hardly depends on the user.
--
-- Of a history it counts pairs of truth that are in it, its events at or after truth's first, rows of rec that are in it,
-- and the users and items of truth that are not. Of folds in one table, leave the times out (time_col := ''), since one
-- fold's test is the train of another.
--
-- With items it counts labels (pairs of truth) and rows of rec whose item is not there, as after a corpus was cut into chunks
-- anew. recall_without_gone counts the users whose recall at k, as of ranking.evaluate, differs over a truth without these
-- labels; a user who has no others is not in the mean without them. It is not looked for where lists are condensed ('skip').
--
-- What the table functions make of each: rows without a userid are left out; an item without an id, or listed
-- before, takes up a rank and is never a hit; NULL and NaN scores rank last; the highest of an item's grades
-- counts; tied scores are ordered by itemid; a NULL, NaN or infinite grade, ids of different types, and columns that
-- look like grades, systems or runs and are not named are errors. Where the lowest score of one system alone is the best,
-- rank them all by the highest:
-- SELECT * REPLACE (CASE WHEN system IN ('bert') THEN -score ELSE score END AS score) FROM rec.
CREATE OR REPLACE MACRO ranking.check(
    rec, truth, ks := [10], COLUMN_ARGUMENTS, history := NULL, time_col := NULL, JUDGING_ARGUMENTS, items := NULL,
    predicted_truth := NULL) AS TABLE
{% import "tables/internal/check.jinja" as check %}
WITH {{ check.problems(of) }}
SELECT severity, system, problem, code, k, example, count, of
FROM problems
ORDER BY place ASC NULLS LAST, k ASC NULLS LAST, problem ASC NULLS LAST, system ASC NULLS FIRST
