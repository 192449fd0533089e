-- Internal: the users, items and times of a table of events or of truth, under the names that the pack gives them. One
-- that is not there is NULL.
--
-- events:   name of a table, as query_table takes it
-- names:    what _ranking_names gives
-- time_col: what the column of times is called; NULL for time
-- Returns:  userid, itemid, time
-- Example:  FROM _ranking_history('train', _ranking_names('userid', 'itemid', 'score', NULL, NULL, true), NULL);
CREATE OR REPLACE TEMP MACRO _ranking_history(events, names, time_col) AS TABLE
SELECT
    least(*COLUMNS(_ranking_column(names['user'], 'userid'))) AS userid,
    coalesce(*COLUMNS(_ranking_column(names['item'], 'itemid'))) AS itemid,
    least(*COLUMNS(_ranking_column(time_col, 'time'))) AS time
FROM (SELECT NULL AS ranking_absent, * FROM query_table(_ranking_table('history', events)) AS rows);
