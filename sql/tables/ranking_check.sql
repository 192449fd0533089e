-- The problems of two tables before they are evaluated, a row per kind of problem and system.
--
-- rec, truth: tables with userid, itemid, score and userid, itemid [, rel], as for ranking_judged
-- ks:         the cut-offs at which tied scores and short lists are looked for, and above the largest of which ties and
--             repeated items are; NULL among them for the whole list
-- user_col, ..., descending, min_grade: as for ranking_judged
-- history:    a table with userid, itemid [, time]: what the recommendations were made of, as train of ranking_split
-- time_col:   what the column of times is called in truth and in history; by default time; '' if there are none, so
--             that late events are not looked for
-- unjudged:   as for ranking_judged: 'skip' looks for a truth without a judged miss, of which it leaves hits alone
-- Returns:    one row per kind of problem and system that has it: severity (below), system (as text; NULL where the row is
--             about truth or all of rec), problem, code (of ranking_problem_codes, which says what to write), k, example,
--             count, of (how many it could be, of the same kind: users in truth wherever a list is what is wrong; NULL where
--             there is no such number); no row if all is well
-- Errors:     a table that is not there; ks as for ranking_summary. All else is a row, a missing column too.
-- Example:    FROM ranking_check('rec', 'truth', ks := [5, 10]);
--
-- severity is 'wrong' (a number or a verdict is not what it seems), 'doubtful', or 'info', to know, by the share count / of: see
-- ranking_problem_codes. Pipelines stop at the first two. Users who have a list and no truth are counted in rows of their own,
-- which are 'info'.
--
-- upside_down asks truth which end of the scores is up: of each system, over users whose list has a relevant item and another
-- with a different score, whether relevant items stand above others (the AUC of the whole list). It is 'wrong' where the mean
-- is below 0.5 by 3.3 standard errors over at least 30 users, or by 1.65 if scores in equal steps (1 to n) or a column rank
-- against the score say so too; and by 3.3 over at least 10 relevant items, each weighed by the root of its users, so that
-- one list for all users does not pass for many. It is 'doubtful' where scores are 1 to n or 0 to n - 1, or fall by a column rank, and relevant items stand
-- below others for more users than above. Lists of a good model that still hold what a user had before look the same; with
-- history, the check leaves these items out, and says seen_first where relevant items are not below the others then.
-- truth_in_rec is where the lists of 95 % of at least 20 users with two relevant items begin with all of these, in the order
-- of grades: 'wrong' if two irrelevant grades of truth or more are in their order too, else 'doubtful'.
--
-- Of a history it counts pairs of truth that are in it, its events at or after truth's first, rows of rec that are in it,
-- and the users and items of truth that are not. Of folds in one table, leave the times out (time_col := ''), since one
-- fold's test is the train of another.
--
-- What the table functions make of each: rows without a userid are left out; an item without an id, or listed
-- before, takes up a rank and is never a hit; NULL and NaN scores rank last; the highest of an item's grades
-- counts; tied scores are ordered by itemid; a NULL, NaN or infinite grade, ids of different types, and columns that
-- look like grades, systems or runs and are not named are errors. Where the lowest score of one system alone is the best,
-- rank them all by the highest:
-- SELECT * REPLACE (CASE WHEN system IN ('bert') THEN -score ELSE score END AS score) FROM rec.
CREATE OR REPLACE TEMP MACRO ranking_check(
   rec, truth, ks := [10],
   user_col := 'userid', item_col := 'itemid', score_col := 'score', grade_col := NULL, system_col := NULL,
   descending := true,
   history := NULL, time_col := NULL, min_grade := NULL, unjudged := 'miss'
) AS TABLE
-- The user's tables are read in the first CTE alone, so that no name of hers can be one of the others.
WITH _ranking_read AS MATERIALIZED (
    SELECT problem
    FROM _ranking_user_problems(
        rec,
        truth,
        _ranking_names(user_col, item_col, score_col, grade_col, system_col, descending),
        _ranking_cuts(ks, 'ranking_check'),
        _ranking_longest(ks),
        min_grade,
        unjudged
    ) AS problem
    UNION ALL BY NAME
    SELECT problem
    FROM _ranking_table_problems(
        rec, truth, _ranking_names(user_col, item_col, score_col, grade_col, system_col, descending), min_grade, unjudged
    ) AS problem
    UNION ALL BY NAME
    SELECT evidence
    FROM _ranking_evidence(
        rec, truth, rec, _ranking_names(user_col, item_col, score_col, grade_col, system_col, descending), min_grade, false
    ) AS evidence
    UNION ALL BY NAME
    FROM _ranking_ids(rec, truth, _ranking_names(user_col, item_col, score_col, grade_col, system_col, descending))
), _ranking_read_with_history AS NOT MATERIALIZED (
    FROM _ranking_read
    UNION ALL BY NAME
    SELECT problem
    FROM _ranking_history_problems(
        rec,
        truth,
        _ranking_table('history', coalesce(history, rec)),  -- DuckDB 1.4 has no NULL for a table that no one reads
        _ranking_names(user_col, item_col, score_col, grade_col, system_col, descending),
        time_col
    ) AS problem
    UNION ALL BY NAME
    SELECT evidence
    FROM _ranking_evidence(
        rec, truth, _ranking_table('history', coalesce(history, rec)),
        _ranking_names(user_col, item_col, score_col, grade_col, system_col, descending), min_grade, true
    ) AS evidence
), _ranking_problems_found AS NOT MATERIALIZED (
    SELECT problem.* FROM query_table(CASE WHEN history IS NULL THEN '_ranking_read' ELSE '_ranking_read_with_history' END)
    WHERE problem IS NOT NULL
    UNION ALL
    FROM _ranking_evidence_problems(CASE WHEN history IS NULL THEN '_ranking_read' ELSE '_ranking_read_with_history' END)
    UNION ALL
    FROM _ranking_id_problems('_ranking_read', coalesce(user_col::VARCHAR, 'userid'), 'user')
    UNION ALL
    FROM _ranking_id_problems('_ranking_read', coalesce(item_col::VARCHAR, 'itemid'), 'item')
    UNION ALL
    FROM _ranking_swapped_problems('_ranking_read')
    UNION ALL
    FROM _ranking_served_problems('_ranking_read')
    UNION ALL
    FROM _ranking_apart_problems('_ranking_read')
)
FROM _ranking_problem_rows(
    '_ranking_problems_found',
    _ranking_names(user_col, item_col, score_col, grade_col, system_col, descending),
    min_grade
);
