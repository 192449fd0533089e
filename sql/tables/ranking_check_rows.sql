-- The users, rows and ids behind the counts of ranking_check, so that somebody can look at them.
--
-- rec, truth, ks, user_col, ..., history, time_col, JUDGING, items: as for ranking_check
-- Returns:    for each row of ranking_check as many rows as its count: code, system, k, userid, itemid; ids as texts, since those
--             of two tables may differ in type; NULL is the itemid of what is of users, and the userid of what is of items
-- Errors:     as for ranking_check
-- Example:    FROM ranking_check_rows('rec', 'truth') WHERE code = 'no_relevant_item';
--
-- Of an item that stands twice, all its rows but one are here. No rows have the codes that are of columns or of a table as a
-- whole (unfit_column, grade_not_read, system_not_read, run_not_read, no_rows, no_time), of all users, items or rows of truth
-- (no_common_user, no_common_item, nothing_relevant, nothing_but_hits), of most ids (swapped), of no user (systems_apart) or of
-- predicted_truth (labelled_apart, labelled_in_part).
CREATE OR REPLACE TEMP MACRO ranking_check_rows(
    rec, truth, ks := [10], COLUMN_ARGUMENTS, history := NULL, time_col := NULL, JUDGING_ARGUMENTS, items := NULL) AS TABLE
WITH _ranking_rows_of_truth AS NOT MATERIALIZED (
    FROM _ranking_checked_rows(rec, truth, ks, COLUMN_NAMES, history, time_col, JUDGING, items)
), _ranking_truth_with_users AS MATERIALIZED (
    FROM _ranking_truth_rows(truth, users, COLUMN_NAMES, 'ranking_check_rows')
), _ranking_rows_of_users AS NOT MATERIALIZED (
    FROM _ranking_checked_rows(
        rec, '_ranking_truth_with_users', ks, COLUMN_NAMES, history, time_col, JUDGING, items)
)
FROM query_table(CASE WHEN users IS NULL THEN '_ranking_rows_of_truth' ELSE '_ranking_rows_of_users' END);

-- The same of a truth that has all users.
CREATE OR REPLACE TEMP MACRO _ranking_checked_rows(
    rec, truth, ks := [10], COLUMN_ARGUMENTS, history := NULL, time_col := NULL, JUDGING_ARGUMENTS, items := NULL) AS TABLE
-- As in ranking_check, the user's tables are read in the first CTE alone.
WITH _ranking_read_rows AS MATERIALIZED (
    SELECT told
    FROM _ranking_checked(
        rec, truth, ks, COLUMN_NAMES, history, time_col, JUDGING, items, NULL, 'ranking_check_rows') AS told
    UNION ALL BY NAME
    FROM _ranking_ids(rec, truth, COLUMN_NAMES)
    UNION ALL BY NAME
    SELECT code, system, k, size, user AS userid
    FROM _ranking_problems_by_list(
        rec, truth, COLUMN_NAMES, _ranking_cuts(ks, 'ranking_check_rows'), _ranking_longest(ks), min_grade)
    WHERE item IS NULL
    UNION ALL BY NAME
    SELECT
        'repeated_item' AS code, system, deepest AS k, user AS userid,
        unnest(_ranking_repetitions(lists.items)::VARCHAR[]) AS itemid
    FROM _ranking_list_facts(rec, COLUMN_NAMES, [], _ranking_longest(ks)) AS lists
    WHERE n_repeated > 0 AND userid IS NOT NULL
    UNION ALL BY NAME
    SELECT
        system::VARCHAR AS system, userid::VARCHAR AS userid, itemid::VARCHAR AS itemid,
        unnest(list_filter([
            CASE WHEN userid IS NULL THEN 'null_user' END,
            CASE WHEN itemid IS NULL THEN 'null_item' END,
            CASE WHEN score IS NULL THEN 'null_score' WHEN _ranking_score(score) IS NULL THEN 'nan_score' END
        ], lambda one: one IS NOT NULL)) AS code
    FROM _ranking_recs(rec, COLUMN_NAMES)
    UNION ALL BY NAME
    SELECT
        system, userid::VARCHAR AS userid,
        unnest(list_filter([
            CASE WHEN deviation < 0 THEN 'upside_down' END, CASE WHEN deviation < 0 THEN 'seen_first' END,
            CASE WHEN userid IS NOT NULL THEN 'unknown_end' END, CASE WHEN is_first THEN 'truth_in_rec' END,
            CASE WHEN is_top THEN 'partial_leak' END, CASE WHEN own_rank > 0 THEN 'self_retrieved' END,
            CASE WHEN n_relevant IS NOT NULL THEN 'one_list_for_all' END], lambda one: one IS NOT NULL)) AS code
    FROM _ranking_evidence_of_lists(rec, truth, rec, COLUMN_NAMES, min_grade, false)
    WHERE is_whole
    UNION ALL BY NAME
    SELECT
        userid::VARCHAR AS userid, itemid::VARCHAR AS itemid,
        unnest(list_filter([
            CASE WHEN userid IS NULL THEN 'null_truth_user' END,
            CASE WHEN itemid IS NULL THEN 'null_truth_item' END,
            CASE WHEN has_grade AND rel IS NULL THEN 'null_grade' END,
            CASE WHEN NOT isfinite(grade) THEN 'infinite_grade' WHEN grade < 0 THEN 'negative_grade'
                WHEN grade <> floor(grade) THEN 'fractional_grade' END,
            CASE WHEN userid IS NOT NULL AND itemid IS NOT NULL AND row_number() OVER pair > 1
                THEN 'repeated_truth' END,
            CASE WHEN userid IS NOT NULL AND itemid IS NOT NULL AND has_grade AND row_number() OVER pair = 1
                    AND min(grade) OVER pair < max(grade) OVER pair
                THEN 'contradicting_grades' END
        ], lambda one: one IS NOT NULL)) AS code
    FROM _ranking_graded_truths(truth, COLUMN_NAMES)
    WINDOW pair AS (PARTITION BY userid, itemid)
    UNION ALL BY NAME
    SELECT userid::VARCHAR AS userid, 'no_relevant_item' AS code
    FROM _ranking_truth_users(truth, COLUMN_NAMES, min_grade)
    WHERE n_relevant = 0
    UNION ALL BY NAME
    FROM _ranking_problem_rows_of_history(
        rec, truth, _ranking_table('history', coalesce(history, rec)), COLUMN_NAMES, time_col)
    WHERE history IS NOT NULL
), _ranking_read_rows_with_items AS NOT MATERIALIZED (
    FROM _ranking_read_rows
    UNION ALL BY NAME
    FROM _ranking_catalogue_rows(
        rec, truth, _ranking_table('items', coalesce(items, rec)), COLUMN_NAMES, _ranking_cuts(ks, 'ranking_check_rows'), JUDGING)
)
SELECT told.code, told.system, told.k, userid, itemid
FROM (SELECT told.* FROM _ranking_read_rows WHERE told IS NOT NULL) AS told
JOIN (
    FROM query_table(CASE WHEN items IS NULL THEN '_ranking_read_rows' ELSE '_ranking_read_rows_with_items' END)
    UNION ALL BY NAME
    SELECT code, system, user AS userid FROM _ranking_served_users('_ranking_read_rows')
    UNION ALL BY NAME
    SELECT 'user_spelling' AS code, system, listed::VARCHAR AS userid
    FROM _ranking_matched_ids('_ranking_read_rows', 'user') WHERE alike IS NOT NULL
    UNION ALL BY NAME
    SELECT 'item_spelling' AS code, system, listed::VARCHAR AS itemid
    FROM _ranking_matched_ids('_ranking_read_rows', 'item') WHERE alike IS NOT NULL
    UNION ALL BY NAME
    SELECT code, CASE code WHEN 'inexact_user' THEN id END AS userid, CASE code WHEN 'inexact_item' THEN id END AS itemid
    FROM _ranking_inexact_ids('_ranking_read_rows')
) AS rows
    ON told.code = rows.code AND told.system IS NOT DISTINCT FROM rows.system AND told.k IS NOT DISTINCT FROM rows.k
-- Short lists, the shortest first, as many as ranking_check counts: all but the longest ones where every list is short.
QUALIFY told.code <> 'short_lists'
    OR row_number() OVER (PARTITION BY told.system, told.k, told.code ORDER BY size ASC NULLS LAST) <= count
ORDER BY told.code ASC NULLS LAST, told.k ASC NULLS LAST, told.system ASC NULLS FIRST, userid ASC NULLS LAST, itemid ASC NULLS LAST;

-- The rows that only a history shows.
CREATE OR REPLACE TEMP MACRO _ranking_problem_rows_of_history(rec, truth, history, COLUMN_NAMES, time_col) AS TABLE
SELECT 'truth_in_history' AS code, NULL::VARCHAR AS system, userid::VARCHAR AS userid, itemid::VARCHAR AS itemid
FROM (FROM _ranking_truth_pairs(truth, COLUMN_NAMES) WHERE itemid IS NOT NULL) AS truths
SEMI JOIN _ranking_history(history, COLUMN_NAMES, time_col) AS events
    ON _ranking_same_id(truths.userid, events.userid) AND _ranking_same_id(truths.itemid, events.itemid)
UNION ALL
SELECT 'late_history', NULL, userid::VARCHAR, itemid::VARCHAR
FROM _ranking_timed_events(truth, history, COLUMN_NAMES, time_col)
WHERE is_late
UNION ALL
SELECT 'seen_items', system::VARCHAR, userid::VARCHAR, itemid::VARCHAR FROM _ranking_seen_rows(rec, history, COLUMN_NAMES, time_col)
UNION ALL
SELECT 'new_users', NULL, id::VARCHAR, NULL FROM _ranking_new_ids(truth, history, COLUMN_NAMES, time_col, 'user')
UNION ALL
SELECT 'new_items', NULL, NULL, id::VARCHAR FROM _ranking_new_ids(truth, history, COLUMN_NAMES, time_col, 'item');
