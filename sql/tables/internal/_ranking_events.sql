-- Internal: the events of ranking_split, with their columns by role and the moments by which they are split.
--
-- events, last, user_col, item_col, time_col: as for ranking_split
-- Returns: the columns of events; ranking_user, ranking_item; ranking_moment: that of the time, or with `last` the place
--          among the user's events, -1 for the latest; NULL where user, item or time is
-- Example: FROM _ranking_events('events', NULL, 'userid', 'itemid', 'time');
CREATE OR REPLACE TEMP MACRO _ranking_events(events, last, user_col, item_col, time_col) AS TABLE
WITH _ranking_timed AS NOT MATERIALIZED (
    SELECT
        * EXCLUDE (ranking_time),
        CASE
            WHEN ranking_user IS NOT NULL AND ranking_item IS NOT NULL THEN _ranking_moment(ranking_time)
        END AS ranking_moment
    FROM (
        SELECT
            * EXCLUDE (ranking_absent),
            -- least leaves out the NULL of ranking_absent.
            least(*COLUMNS(_ranking_column(user_col, 'userid'))) AS ranking_user,
            least(*COLUMNS(_ranking_column(item_col, 'itemid'))) AS ranking_item,
            least(*COLUMNS(_ranking_column(time_col, 'time'))) AS ranking_time
        FROM (SELECT NULL AS ranking_absent, * FROM query_table(_ranking_table('events', events)) AS rows)
    )
), _ranking_placed AS NOT MATERIALIZED (
    SELECT * REPLACE (CASE WHEN ranking_moment IS NOT NULL THEN -dense_rank() OVER (
        PARTITION BY ranking_user ORDER BY ranking_moment DESC NULLS LAST, ranking_item DESC NULLS LAST
    ) END AS ranking_moment)
    FROM _ranking_timed
)
FROM query_table(CASE WHEN last IS NULL THEN '_ranking_timed' ELSE '_ranking_placed' END);
