-- Events split into train and test, fold by fold, with the reason for each row that is in neither.
--
-- events:     a table with userid, itemid and time, as query_table takes it
-- test_from:  where the test begins, a time of the kind that the events have
-- test_size:  how long a test is, counted back from the last event, or from test_from on: an INTERVAL, or an integer
--             where time is one
-- folds:      how many tests, each ending where the next one begins, each with all before it as its train
-- gap:        how long before a test its train ends, as test_size
-- last:       in place of these: the test is the last so many events of each user, in fold 2 those before them, and so on
-- cold_users, cold_items: 'keep', or 'drop' rows of a test whose user or item is not in its train
-- seen:       'keep', or 'drop' rows of a test whose user and item are in its train together
-- user_col, item_col, time_col: what the columns are called, in whatever case
-- Returns:    one row per event and fold: the columns of events; fold, 1 for the latest; part: 'train', 'test', or NULL
--             for a row in neither; dropped, the reason why: 'gap', 'after test',
--             'cold user', 'cold item', 'seen', 'no user', 'no item', 'no time' (NULL or infinite)
-- Errors:     a table that is not there, a column that is missing or called fold, part or dropped; a time that is no
--             integer, DATE or TIMESTAMP; test_from, test_size or gap of another kind than the time; none of test_from,
--             test_size and last; a fold without an event before its test (with last, where no user has more events than
--             the tests take); a test_from after the last event, or a test_size that does not reach back to it
-- Example:    SELECT fold, part, dropped, count(*) AS events, count(DISTINCT customer_id) AS users,
--                 count(DISTINCT sku) AS items, min(rated_on) AS first, max(rated_on) AS last
--             FROM ranking_split('examples/dbt_project/seeds/ratings.csv', test_size := INTERVAL 5 DAY, folds := 2,
--                 gap := INTERVAL 1 DAY, user_col := 'customer_id', item_col := 'sku', time_col := 'rated_on')
--             GROUP BY ALL ORDER BY ALL;
--
-- By time, a test is a half-open window [from, to). The last one ends one unit after the last event: 1 for integers, a day
-- for DATE, a microsecond for TIMESTAMP. A TIMESTAMPTZ is reckoned in UTC, whatever the time zone of the session.
--
-- `last` is by time, then by itemid; an event that is there twice counts once. Such a split leaks: the train holds events
-- of other users from after a user's test, which no model can know at that time. Split by time unless you must not.
--
-- Leave out of the recommendations what a user has already: `FROM rec ANTI JOIN train USING (userid, itemid)`. To evaluate
-- all folds in one query, make fold a part of the userid in rec and truth, {'fold': fold, 'userid': userid}, and group
-- what ranking_by_user returns by userid.fold.
CREATE OR REPLACE TEMP MACRO ranking_split(
    events, test_from := NULL, test_size := NULL, folds := 1, gap := NULL, last := NULL,
    cold_users := 'keep', cold_items := 'keep', seen := 'keep',
    user_col := 'userid', item_col := 'itemid', time_col := 'time'
) AS TABLE
SELECT
    * EXCLUDE (ranking_fold, ranking_dropped, ranking_is_train),
    ranking_fold AS fold,
    CASE WHEN ranking_dropped IS NOT NULL THEN NULL WHEN ranking_is_train THEN 'train' ELSE 'test' END AS part,
    ranking_dropped AS dropped
FROM (
    SELECT
        rows.* EXCLUDE (ranking_user, ranking_item, ranking_moment),
        windows.ranking_fold,
        rows.ranking_moment < windows.ranking_train_until AS ranking_is_train,
        CASE
            WHEN rows.ranking_moment < windows.ranking_train_until THEN NULL
            WHEN rows.ranking_user IS NULL THEN 'no user'
            WHEN rows.ranking_item IS NULL THEN 'no item'
            WHEN rows.ranking_moment IS NULL THEN 'no time'
            WHEN rows.ranking_moment >= windows.ranking_test_until THEN 'after test'
            WHEN rows.ranking_moment < windows.ranking_test_from THEN 'gap'
            WHEN users.ranking_first >= windows.ranking_train_until THEN 'cold user'
            WHEN items.ranking_first >= windows.ranking_train_until THEN 'cold item'
            WHEN pairs.ranking_first < windows.ranking_train_until THEN 'seen'
        END AS ranking_dropped
    FROM _ranking_events(events, last, user_col, item_col, time_col) AS rows
    CROSS JOIN _ranking_split_windows(
        events, test_from, test_size, folds, gap, last, user_col, item_col, time_col,
        _ranking_split_misfit(
            events, test_from, test_size, folds, gap, last, cold_users, cold_items, seen, user_col, item_col, time_col
        )
    ) AS windows
    LEFT JOIN (
        SELECT ranking_user, min(ranking_moment) AS ranking_first
        FROM _ranking_events(events, last, user_col, item_col, time_col)
        WHERE cold_users = 'drop'
        GROUP BY ranking_user
    ) AS users ON users.ranking_user = rows.ranking_user
    LEFT JOIN (
        SELECT ranking_item, min(ranking_moment) AS ranking_first
        FROM _ranking_events(events, last, user_col, item_col, time_col)
        WHERE cold_items = 'drop'
        GROUP BY ranking_item
    ) AS items ON items.ranking_item = rows.ranking_item
    LEFT JOIN (
        SELECT ranking_user, ranking_item, min(ranking_moment) AS ranking_first
        FROM _ranking_events(events, last, user_col, item_col, time_col)
        WHERE seen = 'drop'
        GROUP BY ranking_user, ranking_item
    ) AS pairs ON pairs.ranking_user = rows.ranking_user AND pairs.ranking_item = rows.ranking_item
);
