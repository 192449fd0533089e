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
-- Leave out of the recommendations what a user has already: `FROM rec ANTI JOIN train USING (userid, itemid)`. For all folds
-- in one query, make fold a part of the userid, {'fold': fold, 'userid': userid}, and group ranking_by_user by userid.fold.
CREATE OR REPLACE TEMP MACRO ranking_split(
    events, test_from := NULL, test_size := NULL, folds := 1, gap := NULL, last := NULL,
    cold_users := 'keep', cold_items := 'keep', seen := 'keep',
    user_col := 'userid', item_col := 'itemid', time_col := 'time') AS TABLE
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
        events, test_from, test_size, folds, gap, last, cold_users, cold_items, seen, user_col, item_col, time_col) AS windows
    -- Joins, since windows would lose the order of the events.
    LEFT JOIN _ranking_first_moments(events, last, user_col, item_col, time_col, cold_users, 'user') AS users USING (ranking_user)
    LEFT JOIN _ranking_first_moments(events, last, user_col, item_col, time_col, cold_items, 'item') AS items USING (ranking_item)
    LEFT JOIN _ranking_first_moments(events, last, user_col, item_col, time_col, seen, 'user|item') AS pairs
        USING (ranking_user, ranking_item));

-- The first moment of each user, of each item or of both together, if it is asked for ('drop').
CREATE OR REPLACE TEMP MACRO _ranking_first_moments(events, last, user_col, item_col, time_col, choice, roles) AS TABLE
SELECT COLUMNS(concat('^ranking_(', roles, ')$')), min(ranking_moment) AS ranking_first
FROM _ranking_events(events, last, user_col, item_col, time_col)
WHERE choice = 'drop'
GROUP BY ALL;

-- The events of ranking_split, with their columns by role and the moments by which they are split.
CREATE OR REPLACE TEMP MACRO _ranking_events(events, last, user_col, item_col, time_col) AS TABLE
WITH _ranking_timed AS NOT MATERIALIZED (
    SELECT
        * EXCLUDE (ranking_time),
        CASE WHEN ranking_user IS NOT NULL AND ranking_item IS NOT NULL THEN _ranking_moment(ranking_time) END AS ranking_moment
    FROM (
        SELECT
            * EXCLUDE (ranking_absent),
            -- least leaves out the NULL of ranking_absent.
            least(*COLUMNS(_ranking_column(user_col, 'userid'))) AS ranking_user,
            least(*COLUMNS(_ranking_column(item_col, 'itemid'))) AS ranking_item,
            least(*COLUMNS(_ranking_column(time_col, 'time'))) AS ranking_time
        FROM (SELECT NULL AS ranking_absent, * FROM query_table(_ranking_table('events', events)) AS rows))
), _ranking_placed AS NOT MATERIALIZED (
    SELECT * REPLACE (CASE WHEN ranking_moment IS NOT NULL THEN -dense_rank() OVER (
        PARTITION BY ranking_user ORDER BY ranking_moment DESC NULLS LAST, ranking_item DESC NULLS LAST
    ) END AS ranking_moment)
    FROM _ranking_timed
)
FROM query_table(CASE WHEN last IS NULL THEN '_ranking_timed' ELSE '_ranking_placed' END);

-- The windows of the folds of ranking_split, or an error: of an argument first, then where a fold has no train or the first
-- no test.
CREATE OR REPLACE TEMP MACRO _ranking_split_windows(
    events, test_from, test_size, folds, gap, last, cold_users, cold_items, seen, user_col, item_col, time_col) AS TABLE
SELECT
    ranking_fold, ranking_test_from, ranking_test_until,
    CASE
        WHEN ranking_test_from > latest
            THEN error(concat('ranking_split: ', coalesce(
                'test_from must not be after the last event, got ' || test_from::VARCHAR,
                'test_size must reach back to the last event, got ' || test_size::VARCHAR)))
        WHEN _ranking_moment_before(ranking_test_from, 1, gap) <= earliest
            THEN error(concat(
                'ranking_split: a fold must have events before its test', CASE WHEN last IS NULL THEN ' and gap' END,
                ', got none for fold ', ranking_fold, ': take fewer folds',
                CASE WHEN last IS NULL THEN ', a shorter test_size or gap, or a later test_from' ELSE ' or a smaller last' END))
        ELSE _ranking_moment_before(ranking_test_from, 1, gap)
    END AS ranking_train_until
FROM (
    SELECT
        *,
        CASE
            WHEN last IS NOT NULL THEN _ranking_moment_before(until, ranking_fold, last)
            WHEN test_size IS NOT NULL THEN _ranking_moment_before(until, ranking_fold, test_size)
            ELSE _ranking_moment(test_from)
        END AS ranking_test_from,
        CASE
            WHEN last IS NOT NULL THEN _ranking_moment_before(until, ranking_fold - 1, last)
            ELSE _ranking_moment_before(until, ranking_fold - 1, test_size)
        END AS ranking_test_until
    FROM (
        SELECT
            unnest(range(1, TRY_CAST(folds AS BIGINT) + 1)) AS ranking_fold,
            earliest, latest,
            CASE
                WHEN test_from IS NOT NULL AND test_size IS NOT NULL
                    THEN _ranking_moment_before(_ranking_moment(test_from), -1, test_size)
                WHEN last IS NULL AND _ranking_type(events, time_col, 'time') = 'DATE'
                    THEN latest + 86_400_000_000  -- a day
                ELSE latest + 1
            END AS until
        FROM (
            SELECT min(ranking_moment) AS earliest, max(ranking_moment) AS latest
            FROM _ranking_events(events, last, user_col, item_col, time_col))
        WHERE (SELECT _ranking_no_problem('ranking_split', _ranking_split_misfit(
            events, test_from, test_size, folds, gap, last, cold_users, cold_items, seen, user_col, item_col, time_col)))));

-- The moment that lies some spans before another; the same one for a span of NULL.
CREATE OR REPLACE TEMP MACRO _ranking_moment_before(moment, times, span) AS
CASE
    WHEN typeof(span) = 'INTERVAL' THEN epoch_us(make_timestamp(moment) - times * TRY_CAST(span AS INTERVAL))
    ELSE moment - times * coalesce(TRY_CAST(span AS BIGINT), 0)
END;

-- The error text of a column or argument of ranking_split that does not fit; NULL for none.
CREATE OR REPLACE TEMP MACRO _ranking_split_misfit(
    events, test_from, test_size, folds, gap, last, cold_users, cold_items, seen, user_col, item_col, time_col
) AS
list_any_value(
    list_transform(
        [
            ('user_col', typeof(user_col), coalesce(user_col::VARCHAR, 'userid'), _ranking_type(events, user_col, 'userid')),
            ('item_col', typeof(item_col), coalesce(item_col::VARCHAR, 'itemid'), _ranking_type(events, item_col, 'itemid')),
            ('time_col', typeof(time_col), coalesce(time_col::VARCHAR, 'time'), _ranking_type(events, time_col, 'time'))
        ],
        lambda c: coalesce(_ranking_name_problem(c[1], c[2], c[3]), CASE
            WHEN c[4] IS NULL THEN _ranking_no_column('events', c[3], c[1], _ranking_texts_of(events))
            WHEN c[1] = 'time_col' THEN _ranking_split_time_problem(c[3], c[4], test_from, test_size, gap)
        END))
    || [
        'events must have no column fold, part or dropped (rename it), got ' || _ranking_joined(
            regexp_extract_all(_ranking_texts_of(events), '(?i), "?(fold|part|dropped)"? ', 1), ', '),
        _ranking_collation_problem(),
        _ranking_option(
            'folds', folds, 'an integer >= 1', _ranking_is_integer(typeof(folds)) AND TRY_CAST(folds AS BIGINT) >= 1),
        _ranking_option(
            'last', last, 'an integer >= 1',
            last IS NULL OR _ranking_is_integer(typeof(last)) AND TRY_CAST(last AS BIGINT) >= 1),
        CASE
            WHEN coalesce(test_from::VARCHAR, test_size::VARCHAR, last::VARCHAR) IS NULL
                THEN 'test_from, test_size or last must say what the test is, got none of them'
            WHEN last IS NOT NULL AND coalesce(test_from::VARCHAR, test_size::VARCHAR, gap::VARCHAR) IS NOT NULL
                THEN 'last must stand without test_from, test_size and gap, got '
                    || coalesce(test_from::VARCHAR, test_size::VARCHAR, gap::VARCHAR)
            WHEN last IS NULL AND test_size IS NULL AND TRY_CAST(folds AS BIGINT) > 1
                THEN 'folds must be 1 without test_size, which says how long each test is, got ' || folds::VARCHAR
        END,
        _ranking_option('cold_users', cold_users, 'keep|drop', cold_users::VARCHAR IN ('keep', 'drop')),
        _ranking_option('cold_items', cold_items, 'keep|drop', cold_items::VARCHAR IN ('keep', 'drop')),
        _ranking_option('seen', seen, 'keep|drop', seen::VARCHAR IN ('keep', 'drop'))]);

-- The error text of a column of times, or of an argument that must be of its kind; NULL for none.
CREATE OR REPLACE TEMP MACRO _ranking_split_time_problem(name, type, test_from, test_size, gap) AS
CASE
    WHEN _ranking_time_kind(type) IS NULL
        THEN concat(_ranking_cut(name), ' must be an integer, DATE or TIMESTAMP (cast it), got ', _ranking_cut(type))
    WHEN test_from IS NOT NULL AND _ranking_time_kind(typeof(test_from)) IS DISTINCT FROM _ranking_time_kind(type)
        THEN concat(
            'test_from must be ', _ranking_time_kind(type), ', as ', _ranking_cut(name), ' is, got ',
            _ranking_cut(typeof(test_from)))
    ELSE coalesce(
        _ranking_span_problem('test_size', test_size, _ranking_time_kind(type), 1),
        _ranking_span_problem('gap', gap, _ranking_time_kind(type), 0))
END;

-- The error text of a span of time that does not fit; NULL for none.
CREATE OR REPLACE TEMP MACRO _ranking_span_problem(argument, span, kind, least) AS
CASE
    WHEN kind = 'an integer' AND NOT _ranking_is_integer(typeof(span))
        THEN _ranking_option(argument, span, 'an integer, for a time that is one', span IS NULL)
    WHEN kind <> 'an integer' AND typeof(span) <> 'INTERVAL'
        THEN _ranking_option(argument, span, 'an INTERVAL, for a time that is ' || kind, span IS NULL)
    WHEN TRY_CAST(span AS BIGINT) < least OR TRY_CAST(span AS INTERVAL) < least * INTERVAL 1 MICROSECOND
        THEN _ranking_option(argument, span, CASE least WHEN 0 THEN '0 or more' ELSE 'above 0' END, false)
END;
