-- Internal: the problems of what was known when the recommendations were made: truth that was in it, events that are as
-- late as truth, users and items that it does not have, recommendations of what a user has already.
--
-- rec, truth, history: names of tables, as query_table takes them
-- names:               what _ranking_names gives
-- time_col:            what the column of times is called; NULL for time, if truth and history have one
-- Returns:             what _ranking_user_problems does, of and severity
-- Example:             FROM _ranking_history_problems(
--     'rec', 'truth', 'train', _ranking_names('userid', 'itemid', 'score', NULL, NULL, true), NULL);
CREATE OR REPLACE TEMP MACRO _ranking_history_problems(rec, truth, history, names, time_col) AS TABLE
SELECT
    CASE WHEN misfit LIKE 'truth or history without%' THEN 'no_time' ELSE 'unfit_column' END AS code,
    NULL::VARCHAR AS system,
    NULL::BIGINT AS k,
    1::BIGINT AS count,
    NULL::STRUCT(user VARCHAR, item VARCHAR) AS of_row,
    misfit AS example,
    NULL::BIGINT AS size,
    NULL::BIGINT AS of,
    NULL::VARCHAR AS severity
FROM (SELECT unnest(_ranking_history_misfits(truth, history, names, time_col)) AS misfit)
WHERE misfit IS NOT NULL
UNION ALL
SELECT
    'truth_in_history', NULL, NULL, count(events.userid),
    min({'user': truths.userid::VARCHAR, 'item': truths.itemid::VARCHAR}) FILTER (events.userid IS NOT NULL), NULL, NULL,
    count(*), NULL
FROM (FROM _ranking_truth_pairs(truth, names) WHERE itemid IS NOT NULL) AS truths
LEFT JOIN (SELECT DISTINCT userid, itemid FROM _ranking_history(history, names, time_col) WHERE userid IS NOT NULL) AS events
    ON _ranking_same_id(truths.userid, events.userid) AND _ranking_same_id(truths.itemid, events.itemid)
UNION ALL
SELECT
    'late_history',
    NULL,
    NULL,
    count(*) FILTER (is_late),
    NULL,
    concat(min(time) FILTER (is_late)::VARCHAR, ', and truth from ', any_value(truth_time)::VARCHAR),
    NULL,
    count(*),
    NULL
FROM (
    SELECT
        *,
        _ranking_moment(time) >= truth_moment
            AND _ranking_time_kind(typeof(time)) = _ranking_time_kind(typeof(truth_time)) AS is_late
    FROM _ranking_history(history, names, time_col)
    CROSS JOIN (
        SELECT min(_ranking_moment(time)) AS truth_moment, arg_min(time, _ranking_moment(time)) AS truth_time
        FROM _ranking_history(truth, names, time_col)
    )
)
UNION ALL
SELECT
    'seen_items', system::VARCHAR, NULL, count(*), min({'user': userid::VARCHAR, 'item': itemid::VARCHAR}), NULL, NULL, NULL, NULL
FROM (
    SELECT userid, itemid, system FROM _ranking_recs(rec, names) WHERE userid IS NOT NULL AND itemid IS NOT NULL
) AS recs
SEMI JOIN _ranking_history(history, names, time_col) AS events
    ON _ranking_same_id(recs.userid, events.userid) AND _ranking_same_id(recs.itemid, events.itemid)
GROUP BY system
UNION ALL
SELECT 'new_users', NULL, NULL, count(*), {'user': min(id)::VARCHAR, 'item': NULL}, NULL, NULL, NULL, NULL
FROM _ranking_truth_ids(truth, names, 'user') AS truths
ANTI JOIN _ranking_history(history, names, time_col) AS events ON _ranking_same_id(truths.id, events.userid)
UNION ALL
SELECT 'new_items', NULL, NULL, count(*), NULL, concat(names['item'], ' ', min(id)::VARCHAR), NULL,
    (SELECT count(*) FROM _ranking_truth_ids(truth, names, 'item')), NULL
FROM _ranking_truth_ids(truth, names, 'item') AS truths
ANTI JOIN _ranking_history(history, names, time_col) AS events ON _ranking_same_id(truths.id, events.itemid);
