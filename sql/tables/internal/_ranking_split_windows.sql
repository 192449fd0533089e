-- Internal: the windows of the folds of ranking_split, or an error where a fold has no train or the first no test. An
-- argument that does not fit is told first: what it makes of the windows says nothing about the events.
--
-- events, ..., time_col: as for ranking_split
-- misfit:  what _ranking_split_misfit gives
-- Returns: ranking_fold, and moments: ranking_train_until, ranking_test_from, ranking_test_until; a window goes from the
--          first of its moments to before the one that ends it
-- Example: FROM _ranking_split_windows('events', NULL, INTERVAL 7 DAY, 4, NULL, NULL, 'userid', 'itemid', 'time', NULL);
CREATE OR REPLACE TEMP MACRO _ranking_split_windows(
    events, test_from, test_size, folds, gap, last, user_col, item_col, time_col, misfit
) AS TABLE
SELECT
    ranking_fold,
    ranking_test_from,
    ranking_test_until,
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
            earliest,
            latest,
            CASE
                WHEN test_from IS NOT NULL AND test_size IS NOT NULL
                    THEN _ranking_moment_before(_ranking_moment(test_from), -1, test_size)
                WHEN last IS NULL AND _ranking_type(events, time_col, 'time') = 'DATE'
                    THEN latest + 86_400_000_000  -- a day
                ELSE latest + 1
            END AS until
        FROM (
            SELECT min(ranking_moment) AS earliest, max(ranking_moment) AS latest
            FROM _ranking_events(events, last, user_col, item_col, time_col)
        )
        WHERE (SELECT coalesce(error('ranking_split: ' || misfit)::BOOLEAN, true))
    )
);
