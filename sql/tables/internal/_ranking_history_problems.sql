-- Internal: the problems of what was known when the recommendations were made: truth that was in it, events that are as
-- late as truth, users and items that it does not have, recommendations of what a user has already.
--
-- rec, truth, history: names of tables, as query_table takes them
-- names:               what _ranking_names gives
-- time_col:            what the column of times is called; NULL for time, if truth and history have one
-- Returns:             place (among all problems), problem, system, count, example, size
-- Example:             FROM _ranking_history_problems(
--     'rec', 'truth', 'train', _ranking_names('userid', 'itemid', 'score', NULL, NULL, true), NULL);
CREATE OR REPLACE TEMP MACRO _ranking_history_problems(rec, truth, history, names, time_col) AS TABLE
SELECT
    1 AS place,
    split_part(misfit, ', got ', 1) AS problem,
    NULL::VARCHAR AS system,
    1 AS count,
    split_part(misfit, ', got ', 2) AS example,
    NULL::BIGINT AS size
FROM (SELECT unnest(_ranking_history_misfits(truth, history, names, time_col)) AS misfit)
WHERE misfit IS NOT NULL
UNION ALL
SELECT
    41,
    'truth: items that the user has in history already',
    NULL,
    count(*),
    min(_ranking_row(names, userid, itemid)),
    NULL
FROM (
    SELECT DISTINCT userid, itemid
    FROM _ranking_truths(truth, names)
    WHERE userid IS NOT NULL AND itemid IS NOT NULL
) AS truths
SEMI JOIN _ranking_history(history, names, time_col) AS events
    ON _ranking_same_id(truths.userid, events.userid) AND _ranking_same_id(truths.itemid, events.itemid)
HAVING count(*) > 0
UNION ALL
SELECT
    42,
    'history: events at or after the first of truth',
    NULL,
    count(*),
    concat(min(time)::VARCHAR, ', and truth from ', any_value(truth_time)::VARCHAR),
    NULL
FROM _ranking_history(history, names, time_col)
JOIN (
    SELECT min(_ranking_moment(time)) AS truth_moment, arg_min(time, _ranking_moment(time)) AS truth_time
    FROM _ranking_history(truth, names, time_col)
) ON _ranking_moment(time) >= truth_moment
    AND _ranking_time_kind(typeof(time)) = _ranking_time_kind(typeof(truth_time))
HAVING count(*) > 0
UNION ALL
SELECT
    43,
    'rec: items that the user has in history already',
    system::VARCHAR,
    count(*),
    min(_ranking_row(names, userid, itemid)),
    NULL
FROM (
    SELECT userid, itemid, system FROM _ranking_recs(rec, names) WHERE userid IS NOT NULL AND itemid IS NOT NULL
) AS recs
SEMI JOIN _ranking_history(history, names, time_col) AS events
    ON _ranking_same_id(recs.userid, events.userid) AND _ranking_same_id(recs.itemid, events.itemid)
GROUP BY system
UNION ALL
SELECT 44, 'users in truth that are not in history', NULL, count(*), concat(names['user'], ' ', min(id)::VARCHAR), NULL
FROM _ranking_truth_ids(truth, names, 'user') AS truths
ANTI JOIN _ranking_history(history, names, time_col) AS events ON _ranking_same_id(truths.id, events.userid)
HAVING count(*) > 0
UNION ALL
SELECT 45, 'items in truth that are not in history', NULL, count(*), concat(names['item'], ' ', min(id)::VARCHAR), NULL
FROM _ranking_truth_ids(truth, names, 'item') AS truths
ANTI JOIN _ranking_history(history, names, time_col) AS events ON _ranking_same_id(truths.id, events.itemid)
HAVING count(*) > 0;
